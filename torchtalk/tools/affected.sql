-- name: test_files
-- Which file is each test of?
SELECT id, file_id FROM tests

-- name: test_paths
-- What are the files of tests called?
SELECT id, path FROM source_files WHERE id IN (SELECT file_id FROM tests)

-- name: test_total
-- How many tests are there, as they are run: a generic one once for each entry of its lists?
WITH lists AS MATERIALIZED (SELECT list_id, count(*) AS members FROM opinfo_list_members GROUP BY list_id),
     entries AS (SELECT count(DISTINCT test_id) AS tests, sum(members) AS runs FROM test_lists JOIN lists USING (list_id))
SELECT (SELECT count(*) FROM tests) - tests + coalesce(runs, 0) AS tests FROM entries
