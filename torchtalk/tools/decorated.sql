-- name: decorator
-- A function of Python by its module and its name there.
SELECT m.name AS module, p.name AS last FROM python_functions AS p JOIN python_modules AS m ON m.id = p.module_id
WHERE p.id = :id

-- name: decorated
-- Functions that may be decorated by it: of its own module, and of those that import it or its module.
WITH users (id) AS MATERIALIZED (
    SELECT id FROM python_modules WHERE name = :module
    UNION
    SELECT module_id FROM python_bindings
    WHERE target IN (SELECT value FROM json_each(:names)) AND kind IN ('import', 'from', 'star')
)
SELECT m.name || '.' || p.name AS name, f.path, p.line, p.decorators
FROM users AS u
CROSS JOIN python_modules AS m ON m.id = u.id
CROSS JOIN source_files AS f ON f.id = m.file_id
CROSS JOIN python_functions AS p ON p.module_id = u.id
WHERE instr(p.decorators, :last) > 0
ORDER BY f.path LIKE 'test/%', f.path, p.line
