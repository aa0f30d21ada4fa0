-- name: kernels
-- Where the kernels of operators are defined.
SELECT DISTINCT k.function_id AS id
FROM json_each(:operators) AS wanted
JOIN dispatch AS d ON d.operator_id = wanted.value
JOIN dispatch_kernels AS k ON k.dispatch_id = d.id
JOIN functions AS u ON u.id = k.function_id
WHERE u.name <> 'c10::fallthrough_kernel'
ORDER BY k.function_id LIMIT 200

-- name: bindings
-- What C++ gives to Python under a name that has this text in it.
SELECT b.python_name, b.cpp_name, b.kind, b.file, b.line, count(*) OVER () AS total
FROM v_bindings AS b
WHERE instr(lower(coalesce(b.python_name, '')), lower(:text)) OR instr(lower(coalesce(b.cpp_name, '')), lower(:text))
ORDER BY b.python_name IS NULL, lower(b.python_name) <> lower(:text), length(b.python_name), b.python_name, b.file, b.line
LIMIT :limit
