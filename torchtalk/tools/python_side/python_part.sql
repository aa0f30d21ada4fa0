-- name: api
-- How is a public name bound, and to which overloads?
SELECT a.via, a.function_id, o.name AS operator, f.path, o.line
FROM python_apis AS a
LEFT JOIN operators AS o ON o.id = a.operator_id
LEFT JOIN source_files AS f ON f.id = o.file_id
WHERE a.api = :api
ORDER BY o.kind = 'out', a.id

-- name: assigned
-- Where does a module assign a name, and what? What it only imports stands elsewhere.
SELECT b.target, b.line, f.path
FROM python_bindings AS b
JOIN python_modules AS m ON m.id = b.module_id
JOIN source_files AS f ON f.id = m.file_id
WHERE m.name = :module AND b.name = :name AND b.scope = '' AND b.kind IN ('alias', 'call')
ORDER BY b.guarded, b.line DESC LIMIT 1

-- name: function
-- A Python function by its id.
SELECT m.name || '.' || p.name AS name, f.path, p.line
FROM python_functions AS p
JOIN python_modules AS m ON m.id = p.module_id
JOIN source_files AS f ON f.id = m.file_id
WHERE p.id = :id

-- name: bound
-- Where is the first of these names bound in C++? An installed package has not got those files.
SELECT n.value AS python_name, b.cpp_name, f.path AS file, b.line
FROM json_each(:names) AS n
LEFT JOIN bindings AS b ON b.python_name = n.value
LEFT JOIN source_files AS f ON f.id = b.file_id
WHERE b.id IS NOT NULL OR EXISTS (SELECT 1 FROM python_natives AS p WHERE p.name = n.value)
ORDER BY b.id IS NULL, n.key, b.id LIMIT 1

-- name: made
-- Of which classes does a function make objects, in the order of their lines?
SELECT c.id, coalesce(c.public_name, c.name) AS name
FROM edges AS e
JOIN edge_kinds AS k ON k.id = e.kind_id
JOIN python_classes AS c ON c.id = e.target >> 4
WHERE e.source = :node AND e.target & 15 = :kind AND k.kind = 'python'
GROUP BY c.id ORDER BY min(e.line), c.id

-- name: overridden
-- Which methods that others override does a function call, by itself or within some calls, the nearest first?
WITH RECURSIVE near (id, depth) AS (
    SELECT :id, 0
    UNION
    SELECT e.target >> 4, n.depth + 1
    FROM near AS n CROSS JOIN edges AS e ON e.source = n.id * 16 + 4 AND e.target & 15 = 4
    WHERE unlikely(n.depth < :calls) AND e.kind_id IN (SELECT id FROM edge_kinds WHERE kind = 'python')
)
SELECT p.id, m.name || '.' || p.name AS name, count(DISTINCT v.target) AS number
FROM (SELECT id, min(depth) AS depth FROM near GROUP BY id) AS n
CROSS JOIN edges AS v ON v.source = n.id * 16 + 4 AND v.target & 15 = 4
CROSS JOIN python_functions AS p ON p.id = n.id AND p.class_id IS NOT NULL
CROSS JOIN python_modules AS m ON m.id = p.module_id
WHERE v.kind_id IN (SELECT id FROM edge_kinds WHERE kind = 'virtual')
GROUP BY p.id ORDER BY min(n.depth), p.id LIMIT :most

-- name: overriding
-- Which methods override a method?
SELECT DISTINCT o.id, m.name || '.' || o.name AS name
FROM edges AS v
CROSS JOIN python_functions AS o ON o.id = v.target >> 4
CROSS JOIN python_modules AS m ON m.id = o.module_id
WHERE v.source = :id * 16 + 4 AND v.target & 15 = 4 AND v.kind_id IN (SELECT id FROM edge_kinds WHERE kind = 'virtual')
ORDER BY o.id LIMIT :most
