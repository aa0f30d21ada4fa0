-- What tests and their helpers call: the graph leaves it out, as nothing depends on them (link/81_python_edges.sql).

-- name: left_out
-- Which of some Python functions are tests, or stand in files of tests?
SELECT x.value AS id, EXISTS (SELECT 1 FROM tests AS t WHERE t.function_id = p.id) AS is_test
FROM json_each(:functions) AS x
JOIN python_functions AS p ON p.id = x.value
JOIN python_modules AS m ON m.id = p.module_id
JOIN source_files AS f ON f.id = m.file_id
WHERE f.path GLOB 'test/*' OR is_test

-- name: used
-- What do such functions call, and which operators is a test about?
SELECT m.name || '.' || p.name AS name
FROM json_each(:functions) AS x
JOIN python_calls AS c ON c.caller_id = x.value
JOIN python_resolutions AS r ON r.target_id = c.target_id
JOIN python_functions AS p ON p.id = r.function_id
JOIN python_modules AS m ON m.id = p.module_id
UNION ALL
SELECT coalesce(k.name, n.name)
FROM json_each(:functions) AS x
JOIN python_calls AS c ON c.caller_id = x.value
JOIN python_resolutions AS r ON r.target_id = c.target_id AND r.function_id IS NULL
LEFT JOIN python_classes AS k ON k.id = r.class_id
LEFT JOIN python_natives AS n ON n.id = r.native_id
WHERE k.id IS NOT NULL OR n.id IS NOT NULL
UNION ALL
SELECT o.name
FROM json_each(:functions) AS x
JOIN tests AS t ON t.function_id = x.value
JOIN test_operators AS p ON p.test_id = t.id AND p.how <> 'n'
JOIN operators AS o ON o.base = p.base AND o.namespace = 'aten' AND o.origin = 'yaml'

-- name: users
-- Which tests and functions of their files call some Python functions or make objects of some classes?
SELECT DISTINCT m.name || '.' || p.name AS name
FROM (SELECT r.target_id FROM json_each(:functions) AS x JOIN python_resolutions AS r ON r.function_id = x.value
      UNION
      SELECT r.target_id FROM json_each(:classes) AS x
      JOIN python_resolutions AS r ON r.class_id = x.value AND r.function_id IS NULL) AS w
JOIN python_calls AS c ON c.target_id = w.target_id
JOIN python_functions AS p ON p.id = c.caller_id
JOIN python_modules AS m ON m.id = p.module_id
JOIN source_files AS f ON f.id = m.file_id
WHERE f.path GLOB 'test/*' OR EXISTS (SELECT 1 FROM tests AS t WHERE t.function_id = p.id)
ORDER BY f.path, p.line, p.id
