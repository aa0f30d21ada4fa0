-- name: functions
-- The definitions that a C++ name means: it, or what ends in it.
SELECT u.id, u.name, f.path, u.line
FROM names AS n
JOIN functions AS u ON u.name = n.name
JOIN source_files AS f ON f.id = u.file_id
WHERE n.kind IN ('function', 'kernel') AND n.last = :last COLLATE NOCASE
  AND (n.name = :name OR substr(n.name, -length(:name) - 2) = '::' || :name)
ORDER BY n.name <> :name, u.id LIMIT 200

-- name: kernels
-- Where the kernels of an operator's overloads are defined.
SELECT DISTINCT u.id, u.name, f.path, u.line
FROM json_each(:names) AS wanted
JOIN operators AS o ON o.name = wanted.value
JOIN dispatch AS d ON d.operator_id = o.id
JOIN dispatch_kernels AS k ON k.dispatch_id = d.id
JOIN functions AS u ON u.id = k.function_id
JOIN source_files AS f ON f.id = u.file_id
ORDER BY u.id LIMIT 200

-- name: callees
-- What do these functions call: definitions first, then operators by their C++ names.
SELECT * FROM (
    SELECT callee.name AS function, cf.path AS path, callee.line AS line, f.path AS call_path, c.line AS call_line, c.kind AS kind, c.origin AS origin
    FROM json_each(:ids) AS wanted
    CROSS JOIN calls AS c ON c.caller_id = wanted.value
    CROSS JOIN functions AS callee ON callee.id = c.callee_id
    JOIN source_files AS cf ON cf.id = callee.file_id
    JOIN functions AS caller ON caller.id = c.caller_id
    JOIN source_files AS f ON f.id = caller.file_id
    UNION ALL
    SELECT c.callee, NULL, NULL, f.path, c.line, 'operator', 'syntax'
    FROM json_each(:ids) AS wanted
    CROSS JOIN operator_calls AS c ON c.caller_id = wanted.value
    JOIN functions AS caller ON caller.id = c.caller_id
    JOIN source_files AS f ON f.id = caller.file_id
)
ORDER BY call_path, call_line, function

-- name: callers
-- What calls these functions.
SELECT caller.name AS function, f.path AS path, caller.line AS line, f.path AS call_path, c.line AS call_line, c.kind AS kind, c.origin AS origin
FROM json_each(:ids) AS wanted
CROSS JOIN calls AS c ON c.callee_id = wanted.value
CROSS JOIN functions AS caller ON caller.id = c.caller_id
JOIN source_files AS f ON f.id = caller.file_id
ORDER BY call_path, call_line, function

-- name: serves
-- Which dispatch entries do these functions serve?
SELECT DISTINCT o.name, d.dispatch_key
FROM json_each(:ids) AS wanted
JOIN dispatch_kernels AS k ON k.function_id = wanted.value
JOIN dispatch AS d ON d.id = k.dispatch_id
JOIN operators AS o ON o.id = d.operator_id
ORDER BY o.id, d.id LIMIT 12

-- name: bindings
-- What C++ gives to Python under a name that has this text in it.
SELECT b.python_name, b.cpp_name, b.kind, b.file, b.line, count(*) OVER () AS total
FROM v_bindings AS b
WHERE instr(lower(b.python_name), lower(:text)) OR instr(lower(coalesce(b.cpp_name, '')), lower(:text))
ORDER BY lower(b.python_name) <> lower(:text), length(b.python_name), b.python_name, b.file, b.line
LIMIT :limit
