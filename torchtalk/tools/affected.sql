-- name: test_paths
-- What are the files of some tests called?
SELECT t.id, f.path
FROM json_each(:tests) AS w CROSS JOIN tests AS t ON t.id = w.value CROSS JOIN source_files AS f ON f.id = t.file_id

-- name: test_total
-- How many tests are there, as they are run: a generic one once for each entry of its lists?
WITH lists AS MATERIALIZED (SELECT list_id, count(*) AS members FROM opinfo_list_members GROUP BY list_id),
     entries AS (SELECT count(DISTINCT test_id) AS tests, sum(members) AS runs FROM test_lists JOIN lists USING (list_id))
SELECT (SELECT count(*) FROM tests) - tests + coalesce(runs, 0) AS tests FROM entries
