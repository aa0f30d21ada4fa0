-- name: called_so
-- Which functions of a file of Python have this name?
SELECT p.line, p.end_line FROM python_modules AS m JOIN python_functions AS p ON p.module_id = m.id
WHERE m.file_id = :file AND (p.name = :name OR substr(p.name, -length(:name) - 1) = '.' || :name)
  AND p.kind NOT IN ('module', 'overload')
