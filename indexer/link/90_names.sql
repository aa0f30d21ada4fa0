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

INSERT INTO names_words (names_words) VALUES ('rebuild');
INSERT INTO names_trigrams (names_trigrams) VALUES ('rebuild');
INSERT INTO names_words (names_words) VALUES ('optimize');
INSERT INTO names_trigrams (names_trigrams) VALUES ('optimize');
