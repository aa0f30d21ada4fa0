-- What can a question name? One row for each name and kind of thing, and the two indexes that
-- find the names people meant: by words, and by parts of words.

INSERT INTO dispatch_keys (name, operators)
SELECT dispatch_key, count(DISTINCT operator_id) FROM dispatch
GROUP BY dispatch_key ORDER BY dispatch_key;

INSERT OR IGNORE INTO names (name, kind, last)
SELECT DISTINCT namespace || '::' || base, 'operator', base
FROM operators ORDER BY 1;

INSERT OR IGNORE INTO names (name, kind, last)
SELECT kernel, 'kernel', last_component(kernel)
FROM dispatch WHERE kernel IS NOT NULL
-- `at::full` is a function of the C++ API, whatever generated files have of that name in unnamed namespaces.
  AND NOT (generated_by IS NOT NULL AND kernel IN (SELECT 'at::' || base FROM operators WHERE namespace = 'aten'))
GROUP BY kernel ORDER BY kernel;

INSERT OR IGNORE INTO names (name, kind, last)
SELECT name, 'backward', last_component(name)
FROM derivative_functions WHERE NOT is_method GROUP BY name ORDER BY name;

INSERT OR IGNORE INTO names (name, kind, last)
SELECT name, 'stub', last_component(name)
FROM stub_declarations GROUP BY name ORDER BY name;

INSERT OR IGNORE INTO names (name, kind, last)
SELECT name, 'cuda', last_component(name)
FROM functions WHERE kind = 'kernel' GROUP BY name ORDER BY name;

-- CUDA kernels are functions; Metal's and Vulkan's have names of their own.
INSERT OR IGNORE INTO names (name, kind, last)
SELECT name, platform, last_component(name)
FROM kernels WHERE platform <> 'cuda' GROUP BY platform, name ORDER BY platform, name;

INSERT OR IGNORE INTO names (name, kind, last)
SELECT name, 'class', last_component(name)
FROM python_classes WHERE category <> 'test' GROUP BY name ORDER BY name;

INSERT OR IGNORE INTO names (name, kind, last)
SELECT public_name, 'class', last_component(public_name)
FROM python_classes WHERE public_name IS NOT NULL AND category <> 'test'
GROUP BY public_name ORDER BY public_name;

INSERT OR IGNORE INTO names (name, kind, last)
SELECT api, 'api', last_component(api)
FROM python_apis GROUP BY api ORDER BY api;

INSERT OR IGNORE INTO names (name, kind, last)
SELECT python_name, 'binding', last_component(python_name)
FROM bindings WHERE python_name IS NOT NULL GROUP BY python_name ORDER BY python_name;

INSERT INTO names_words (names_words) VALUES ('delete-all');
-- An operator's namespace is no word of it: most are aten's.
INSERT INTO names_words (rowid, words)
SELECT id, split_words(CASE kind WHEN 'operator' THEN last ELSE name END) FROM names ORDER BY id;
INSERT INTO names_trigrams (names_trigrams) VALUES ('rebuild');
INSERT INTO names_words (names_words) VALUES ('optimize');
INSERT INTO names_trigrams (names_trigrams) VALUES ('optimize');
