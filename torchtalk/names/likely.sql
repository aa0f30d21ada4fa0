-- name: same_beginning
-- C++ functions whose last component begins alike; they are not in the trigram index.
SELECT DISTINCT name, 'function' AS kind FROM functions
WHERE last >= :beginning COLLATE NOCASE AND last < :beginning || 'zzzz' COLLATE NOCASE
ORDER BY last COLLATE NOCASE, name LIMIT 300

-- name: asked_for
-- Is an operator, or any thing that people ask for, called so in whatever namespace?
SELECT 1 FROM names
WHERE last = :name COLLATE NOCASE
  AND (kind = 'operator' OR :any AND kind IN ('api', 'class', 'kernel', 'stub')) LIMIT 1

-- name: with_words
-- Names that have some words of a text, of each kind the best.
SELECT name, place FROM (
    SELECT n.name, CASE n.kind WHEN 'operator' THEN 0 WHEN 'api' THEN 1 WHEN 'class' THEN 1 ELSE 2 END AS place,
           row_number() OVER (PARTITION BY n.kind ORDER BY w.rank, n.id) AS number
    FROM names_words AS w JOIN names AS n ON n.id = w.rowid
    WHERE names_words MATCH :match AND n.kind IN ('operator', 'api', 'class', 'kernel', 'stub')
)
WHERE number <= 40

-- name: similar
-- Names that share groups of three letters with the one asked for: of each kind the best ones, so that the few
-- operators are not lost among all functions that rank well.
SELECT name, kind FROM (
    SELECT n.name, n.kind, row_number() OVER (PARTITION BY n.kind ORDER BY t.rank, n.id) AS place
    FROM names_trigrams AS t JOIN names AS n ON n.id = t.rowid
    WHERE names_trigrams MATCH :match AND n.kind IN (SELECT value FROM json_each(:kinds))
)
WHERE place <= 100

-- name: classes_beginning_with
-- Classes that users import, whose names begin with a letter.
SELECT DISTINCT public_name AS name, last FROM python_classes
WHERE last >= :first COLLATE NOCASE AND last < :first || '{' COLLATE NOCASE AND substr(last, 1, 1) = :first
  AND public_name IS NOT NULL AND category <> 'test'

-- name: beginning_with
-- Operators whose first word begins with a letter.
SELECT name FROM names
WHERE kind = 'operator' AND (last COLLATE NOCASE LIKE :first || '%' OR last LIKE '\_' || :first || '%' ESCAPE '\')

-- name: all_words
-- Names of any kind that have all words of the one asked for, the shortest first.
SELECT n.name FROM names_words AS w JOIN names AS n ON n.id = w.rowid
WHERE names_words MATCH :match AND (:any OR n.kind IN (SELECT value FROM json_each(:kinds)))
ORDER BY length(n.name), n.name LIMIT 3

-- name: one_of
-- Names of these last components.
SELECT n.name FROM json_each(:lasts) AS wanted
CROSS JOIN names AS n ON n.last = wanted.value COLLATE NOCASE
WHERE n.kind IN (SELECT value FROM json_each(:kinds))

-- name: function_of
-- The same of C++ functions.
SELECT DISTINCT f.name FROM json_each(:lasts) AS wanted
CROSS JOIN functions AS f ON f.last = wanted.value COLLATE NOCASE
LIMIT 300
