-- name: decorator
-- A function of Python by its module and its name there.
SELECT m.name AS module, p.name AS last FROM python_functions AS p JOIN python_modules AS m ON m.id = p.module_id
WHERE p.id = :id

-- name: decorated
-- Functions under a decorator of that name that no edge leads from to it: of its own module, and of those that import
-- it or its module.
WITH users (id) AS MATERIALIZED (
    SELECT id FROM python_modules WHERE name = :module
    UNION
    SELECT module_id FROM python_bindings
    WHERE target IN (SELECT value FROM json_each(:names)) AND kind IN ('import', 'from', 'star')
)
SELECT m.name || '.' || p.name AS name, f.path, p.line
FROM python_decorators AS d
CROSS JOIN python_functions AS p ON p.id = d.function_id
CROSS JOIN python_modules AS m ON m.id = p.module_id
CROSS JOIN source_files AS f ON f.id = m.file_id
WHERE d.name = :last AND p.module_id IN (SELECT id FROM users)
  AND NOT EXISTS (SELECT 1 FROM edges AS e JOIN edge_kinds AS k ON k.id = e.kind_id AND k.kind = 'decorator'
                  JOIN json_each(:functions) AS w ON e.target = w.value * 16 + 4 WHERE e.source = p.id * 16 + 4)
ORDER BY f.path LIKE 'test/%', f.path, p.line
