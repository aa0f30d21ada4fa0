-- name: wanted
-- Which variables of the environment do files of tests want, themselves or by what they have the tests of?
WITH wanted (file_id, name) AS (
    SELECT file_id, substr(target, length('os.environ=') + 1) FROM test_imports WHERE target GLOB 'os.environ=*'
)
SELECT f.path, w.name FROM wanted AS w JOIN source_files AS f ON f.id = w.file_id
UNION
SELECT f.path, w.name FROM wanted AS w JOIN test_sources AS s ON s.source_id = w.file_id
JOIN source_files AS f ON f.id = s.file_id
ORDER BY 1, 2

-- name: runner
-- Is PyTorch's own runner of tests there?
SELECT 1 FROM source_files WHERE path = :path
