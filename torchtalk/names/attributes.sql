-- name: attribute
-- What does a class make by a call, or answer by a name's text? See imported in names.sql of the range of the ids.
SELECT b.kind, b.target, f.path, b.line
FROM python_classes AS c
JOIN python_modules AS m ON m.id = c.module_id
JOIN source_files AS f ON f.id = m.file_id
CROSS JOIN python_bindings AS b ON b.module_id = m.id AND b.id >= m.file_id * 16
    AND b.id < coalesce((SELECT min(n.id) FROM source_files AS n WHERE n.id > m.file_id) * 16, 1 << 40)
WHERE c.id = :class AND b.name = :name AND b.scope = substr(c.name, length(m.name) + 2)
  AND b.kind IN ('call', 'answered')
ORDER BY b.guarded, b.line DESC LIMIT 1

-- name: place_in_python
-- Where does a function of Python stand, or where is it bound in C++?
SELECT * FROM (
    SELECT f.path, p.line
    FROM json_each(:modules) AS w
    CROSS JOIN python_modules AS m ON m.name = w.value
    CROSS JOIN python_functions AS p ON p.name = substr(:name, length(m.name) + 2) AND p.module_id = m.id
    JOIN source_files AS f ON f.id = m.file_id
    ORDER BY p.kind = 'overload', p.line LIMIT 1)
UNION ALL
SELECT f.path, b.line FROM bindings AS b JOIN source_files AS f ON f.id = b.file_id WHERE b.python_name = :name
UNION ALL
SELECT f.path, n.line FROM python_natives AS n JOIN source_files AS f ON f.id = n.file_id WHERE n.name = :name
LIMIT 1
