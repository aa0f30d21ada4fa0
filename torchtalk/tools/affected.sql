-- name: test_files
-- Which file is each test of?
SELECT id, file_id FROM tests

-- name: test_paths
-- What are the files of tests called?
SELECT id, path FROM source_files WHERE id IN (SELECT file_id FROM tests)

-- name: test_total
-- How many tests are there?
SELECT count(*) AS tests, count(DISTINCT file_id) AS files FROM tests
