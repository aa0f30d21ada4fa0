-- name: function
-- A function of Python by its module, its name there and its file.
SELECT m.name AS module, p.name, m.file_id FROM python_functions AS p JOIN python_modules AS m ON m.id = p.module_id
WHERE p.id = :id

-- name: names
-- By which module and name is something known there: where it is defined, and where it is imported from there.
WITH RECURSIVE imported AS MATERIALIZED (
    SELECT m.name AS module, b.name, b.target
    FROM python_bindings AS b
    CROSS JOIN python_modules AS m ON m.id = b.module_id
    CROSS JOIN source_files AS f ON f.id = m.file_id
    WHERE b.kind = 'from' AND b.scope = '' AND b.target GLOB '*:' || :first AND f.path NOT GLOB 'test/*'
),
known (module, name) AS (
    SELECT :module, :first
    UNION
    SELECT i.module, i.name FROM known AS k JOIN imported AS i ON i.target = k.module || ':' || k.name
)
SELECT module, name FROM known

-- name: heirs
-- Of a method, the classes that derive from its own and have none of that name, by module and name there.
WITH RECURSIVE derived (id) AS (
    SELECT b.class_id FROM python_functions AS p JOIN python_bases AS b ON b.base_id = p.class_id WHERE p.id = :id
    UNION
    SELECT b.class_id FROM derived AS d JOIN python_bases AS b ON b.base_id = d.id
)
SELECT m.name AS module, substr(k.name, length(m.name) + 2) AS name
FROM derived AS d
JOIN python_classes AS k ON k.id = d.id AND k.category <> 'test'
JOIN python_modules AS m ON m.id = k.module_id
JOIN source_files AS f ON f.id = m.file_id AND f.path NOT GLOB 'test/*'
WHERE NOT EXISTS (SELECT 1 FROM python_functions AS p WHERE p.class_id = k.id AND p.name GLOB '*.' || :last)

-- name: naming
-- The files that may name it: its own, those of modules that import it, and those that import one of these modules.
SELECT id, path, sha FROM (
    SELECT id, path, sha, 0 AS step FROM source_files WHERE id = :file
    UNION ALL
    SELECT f.id, f.path, f.sha, 1
    FROM json_each(:modules) AS w JOIN python_modules AS m ON m.name = w.value JOIN source_files AS f ON f.id = m.file_id
    UNION ALL
    SELECT f.id, f.path, f.sha, 2
    FROM python_bindings AS b JOIN python_modules AS m ON m.id = b.module_id JOIN source_files AS f ON f.id = m.file_id
    WHERE b.target IN (SELECT value FROM json_each(:imports)) AND b.kind IN ('import', 'from') AND f.path NOT GLOB 'test/*'
)
GROUP BY id ORDER BY min(step), path

-- name: bodies
-- Where the functions of a file, and texts in it that are documentation, begin and end.
SELECT p.line, p.end_line FROM python_modules AS m JOIN python_functions AS p ON p.module_id = m.id WHERE m.file_id = :file
UNION ALL
SELECT line - 1, end_line FROM python_docstrings WHERE file_id = :file
ORDER BY 1
