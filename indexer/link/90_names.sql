-- What can a question name? One row for each name and kind of thing, and the two indexes that
-- find the names people meant: by words, and by parts of words.

INSERT INTO dispatch_keys (name, operators)
SELECT dispatch_key, count(DISTINCT operator_id) FROM dispatch
GROUP BY dispatch_key ORDER BY dispatch_key;

INSERT OR IGNORE INTO names (name, kind, last, words)
SELECT DISTINCT namespace || '::' || base, 'operator', base, split_words(base)
FROM operators ORDER BY 1;

INSERT OR IGNORE INTO names (name, kind, last, words)
SELECT kernel, 'kernel', last_component(kernel), split_words(kernel)
FROM dispatch WHERE kernel IS NOT NULL GROUP BY kernel ORDER BY kernel;

INSERT OR IGNORE INTO names (name, kind, last, words)
SELECT name, 'backward', last_component(name), split_words(name)
FROM derivative_functions WHERE NOT is_method GROUP BY name ORDER BY name;

INSERT OR IGNORE INTO names (name, kind, last, words)
SELECT name, 'stub', last_component(name), split_words(name)
FROM stub_declarations GROUP BY name ORDER BY name;

INSERT OR IGNORE INTO names (name, kind, last, words)
SELECT name, 'cuda', last_component(name), split_words(name)
FROM functions WHERE kind = 'kernel' GROUP BY name ORDER BY name;

-- CUDA kernels are functions; Metal's have names of their own.
INSERT OR IGNORE INTO names (name, kind, last, words)
SELECT name, 'metal', last_component(name), split_words(name)
FROM kernels WHERE platform = 'metal' GROUP BY name ORDER BY name;

INSERT OR IGNORE INTO names (name, kind, last, words)
SELECT name, 'class', last_component(name), split_words(name)
FROM python_classes WHERE category <> 'test' GROUP BY name ORDER BY name;

INSERT OR IGNORE INTO names (name, kind, last, words)
SELECT public_name, 'class', last_component(public_name), split_words(public_name)
FROM python_classes WHERE public_name IS NOT NULL AND category <> 'test'
GROUP BY public_name ORDER BY public_name;

INSERT OR IGNORE INTO names (name, kind, last, words)
SELECT api, 'api', last_component(api), split_words(api)
FROM python_apis GROUP BY api ORDER BY api;

INSERT OR IGNORE INTO names (name, kind, last, words)
SELECT python_name, 'binding', last_component(python_name), split_words(python_name)
FROM bindings WHERE python_name IS NOT NULL GROUP BY python_name ORDER BY python_name;

INSERT INTO names_words (names_words) VALUES ('rebuild');
INSERT INTO names_trigrams (names_trigrams) VALUES ('rebuild');
INSERT INTO names_words (names_words) VALUES ('optimize');
INSERT INTO names_trigrams (names_trigrams) VALUES ('optimize');
