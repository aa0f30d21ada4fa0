-- name: named_ids
-- Which tests have this in their own or their class's name?
SELECT rowid FROM tests_words WHERE tests_words MATCH :match

-- name: body_ids
-- Which tests have one of these names in their body?
SELECT t.id FROM tests_bodies AS b CROSS JOIN tests AS t ON t.function_id = b.rowid WHERE tests_bodies MATCH :match

-- name: files_of_tests
-- The files of tests with how many they have, whose ids follow one another.
SELECT f.path, t.first, t.last
FROM (SELECT file_id, min(id) AS first, max(id) AS last FROM tests GROUP BY file_id) AS t
JOIN source_files AS f ON f.id = t.file_id

-- name: number_of_tests
-- How many tests are there?
SELECT count(*) FROM tests

-- name: names_of
-- How long are the names of these tests, and of which kind are they?
SELECT id, length(name) AS length, kind FROM tests WHERE id IN (SELECT value FROM json_each(:tests))
