-- name: decorator
-- A function of Python by its module and its name there.
SELECT m.name AS module, p.name AS last FROM python_functions AS p JOIN python_modules AS m ON m.id = p.module_id
WHERE p.id = :id

-- name: decorated
-- Functions that may be decorated by it: of its own module, and of those that import it or its module.
SELECT m.name || '.' || p.name AS name, f.path, p.line, p.decorators
FROM python_functions AS p
JOIN python_modules AS m ON m.id = p.module_id
JOIN source_files AS f ON f.id = m.file_id
WHERE instr(p.decorators, :last) > 0
  AND (m.name = :module OR EXISTS (
      SELECT 1 FROM python_bindings AS b
      WHERE b.module_id = m.id AND b.target IN (SELECT value FROM json_each(:names)) AND b.kind IN ('import', 'from', 'star')))
ORDER BY f.path LIKE 'test/%', f.path, p.line
