-- name: files
-- Which files with tests have this path, or end in it, or have it as a part?
WITH test_files (id, path, tests) AS (
    SELECT f.id, f.path, (SELECT count(*) FROM tests AS t WHERE t.file_id = f.id) AS number
    FROM source_files AS f
    WHERE number > 0 OR (f.path NOT GLOB 'torch/*'
        AND (substr(f.path, length(rtrim(f.path, replace(f.path, '/', ''))) + 1) GLOB 'test_*.py' OR EXISTS (SELECT 1 FROM test_sources AS s WHERE s.file_id = f.id))))
SELECT id, path, tests,
       CASE WHEN path = :path THEN 0
            WHEN substr(path, -length(:path) - 1) = '/' || :path THEN 1
            WHEN substr(path, -length(:path) - 4) = '/' || :path || '.py' THEN 2
            WHEN substr(path, -length(:path) - 5) = '/' || :path || '.cpp' THEN 2
            ELSE 3 END AS tier
FROM test_files
WHERE instr(lower(path), lower(:path)) > 0
ORDER BY tier, tests DESC, path

-- name: file
-- One file.
SELECT f.id, f.path, f.size, f.kind, m.id AS module_id, m.doc,
       (SELECT count(*) FROM tests AS t WHERE t.file_id = f.id) AS tests
FROM source_files AS f LEFT JOIN python_modules AS m ON m.file_id = f.id
WHERE f.path = :path

-- name: sources
-- Which files does it have tests of?
SELECT f.path, s.classes FROM test_sources AS s JOIN source_files AS f ON f.id = s.source_id
WHERE s.file_id = :file ORDER BY f.path

-- name: run_by
-- Which files have its tests?
SELECT f.path FROM test_sources AS s JOIN source_files AS f ON f.id = s.file_id
WHERE s.source_id = :file AND f.path NOT GLOB 'torch/*' ORDER BY s.classes IS NULL, f.path

-- name: named
-- Which of its tests does a pytest id name? Generators put devices and parameters behind a name
-- (torch/testing/_internal/common_device_type.py, instantiate_test).
SELECT coalesce(c.name || '.', '') || t.name AS name, t.line
FROM tests AS t LEFT JOIN test_classes AS c ON c.id = t.class_id
WHERE t.file_id = :file AND (t.name = :test OR substr(:test, 1, length(t.name) + 1) = t.name || '_')
ORDER BY substr(:class, 1, length(c.name)) = c.name DESC, length(t.name) DESC, t.id LIMIT 1

-- name: has_main
-- Does it run its tests when it is run?
SELECT 1 FROM test_mains WHERE file_id = :file

-- name: classes
-- Its classes, how many tests each defines, and its bases.
SELECT c.id, c.name, c.role, c.line,
       (SELECT count(*) FROM tests AS t WHERE t.class_id = c.id) AS tests,
       (SELECT group_concat(b.name, char(10)) FROM python_bases AS b
        WHERE b.class_id = c.class_id) AS bases,
       count(*) OVER () AS total
FROM test_classes AS c WHERE c.file_id = :file
ORDER BY c.line LIMIT :limit OFFSET :offset

-- name: runs
-- How a class's tests are made.
SELECT kind, function, arguments FROM test_instantiations WHERE class_id = :class ORDER BY id

-- name: lists
-- The OpInfo lists that its tests run over.
SELECT coalesce(l.name, l.expression) AS name, min(x.decorator) AS decorator,
       count(DISTINCT x.test_id) AS tests,
       (SELECT count(*) FROM opinfo_list_members AS m WHERE m.list_id = l.id) AS entries,
       (SELECT min(m.is_certain) FROM opinfo_list_members AS m WHERE m.list_id = l.id) AS is_certain
FROM tests AS t
JOIN test_lists AS x ON x.test_id = t.id
JOIN opinfo_lists AS l ON l.id = x.list_id
WHERE t.file_id = :file GROUP BY l.id ORDER BY tests DESC, name LIMIT 15

-- name: operators
-- The operators that most of its tests call.
SELECT x.base, count(DISTINCT x.test_id) AS tests
FROM tests AS t JOIN test_operators AS x ON x.test_id = t.id
WHERE t.file_id = :file AND x.how <> 'n'
GROUP BY x.base ORDER BY tests DESC, x.base LIMIT 25

-- name: imports
-- The modules of the tree that it imports.
SELECT DISTINCT CASE WHEN kind = 'from' THEN substr(target, 1, instr(target, ':') - 1)
                     ELSE target END AS module
FROM python_bindings
WHERE module_id = :module AND scope = '' AND kind IN ('import', 'from', 'star')
ORDER BY module LIMIT 40

-- name: modules
-- Which of these names are modules?
SELECT name FROM python_modules WHERE name IN (SELECT value FROM json_each(:names))

-- name: decorators
-- The decorators of its tests.
SELECT p.decorators FROM tests AS t JOIN python_functions AS p ON p.id = t.function_id
WHERE t.file_id = :file AND p.decorators IS NOT NULL ORDER BY t.id

-- name: gaps
-- What of its tests is known not to be in the index?
SELECT detail FROM coverage WHERE layer = 'tests' AND file = :path AND status <> 'ok' ORDER BY detail

-- name: paths
-- The files with tests.
SELECT path FROM source_files WHERE id IN (SELECT file_id FROM tests) ORDER BY path
