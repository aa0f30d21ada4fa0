-- name: overridden
-- Which methods do some override?
SELECT DISTINCT e.source AS node
FROM json_each(:nodes) AS w CROSS JOIN edges AS e ON e.target = w.value
WHERE e.steps = 0 AND e.source & 15 = e.target & 15 AND e.kind_id IN (SELECT id FROM edge_kinds WHERE kind = 'virtual')

-- name: used_besides
-- What do some methods use, besides that others override them?
SELECT e.source AS node, e.target
FROM json_each(:nodes) AS w CROSS JOIN edges AS e ON e.source = w.value
WHERE e.kind_id NOT IN (SELECT id FROM edge_kinds WHERE kind = 'virtual')
UNION ALL
SELECT w.value, c.callee_id * 16
FROM json_each(:nodes) AS w CROSS JOIN calls AS c ON c.caller_id = w.value >> 4
WHERE w.value & 15 = 0

-- name: users_in_python
-- Which functions of Python use some nodes?
SELECT e.target AS node, e.source
FROM json_each(:nodes) AS w CROSS JOIN edges AS e ON e.target = w.value WHERE e.source & 15 = 4

-- name: users_in_cpp
-- Which functions call some virtual methods in no other way than as that of a class, `Base::f()`? What clang has as a
-- plain call of one is no dynamic call (clang_Cursor_isDynamicCall); the text says of some that they are, not of which
-- they are not.
SELECT c.callee_id * 16 AS node, c.caller_id * 16 AS source
FROM json_each(:nodes) AS w CROSS JOIN calls AS c ON c.callee_id = w.value >> 4
WHERE w.value & 15 = 0
GROUP BY c.callee_id, c.caller_id
HAVING max(c.code) = 0 /* call, of clang */

-- name: method_calls
-- How do which functions name some methods of Python, and are these called of objects?
SELECT w.value AS method, c.caller_id AS caller, m.name || '.' || u.name AS name, t.target, p.kind = 'method' AS is_of_objects
FROM json_each(:ids) AS w
CROSS JOIN python_functions AS p ON p.id = w.value
CROSS JOIN python_resolutions AS r ON r.function_id = w.value
CROSS JOIN python_targets AS t ON t.id = r.target_id
CROSS JOIN python_calls AS c ON c.target_id = t.id
CROSS JOIN python_functions AS u ON u.id = c.caller_id
CROSS JOIN python_modules AS m ON m.id = u.module_id

-- name: classes_called
-- Which of some names are of classes?
SELECT n.name FROM json_each(:names) AS w CROSS JOIN names AS n ON n.name = w.value AND n.kind = 'class'
