-- name: callers
-- Which C++ tests call these C++ functions?
SELECT DISTINCT t.id, t.words, f.path FROM calls AS c
JOIN tests AS t ON t.cpp_function_id = c.caller_id JOIN source_files AS f ON f.id = t.file_id
WHERE c.callee_id IN (SELECT value FROM json_each(:functions)) ORDER BY t.id

-- name: files
-- In which files do these C++ functions stand?
SELECT DISTINCT s.path FROM json_each(:functions) AS w CROSS JOIN functions AS u ON u.id = w.value
CROSS JOIN source_files AS s ON s.id = u.file_id ORDER BY s.path

-- name: tests
-- Which tests do these files have, with the words of their names?
SELECT t.id, t.words, f.path FROM json_each(:files) AS p
CROSS JOIN source_files AS f ON f.path = p.value CROSS JOIN tests AS t ON t.file_id = f.id
WHERE NOT {never_run:t} ORDER BY t.id

-- name: kernels
-- Does an operator or a stub run one of these C++ functions?
SELECT 1 FROM json_each(:functions) AS w
WHERE EXISTS (SELECT 1 FROM dispatch_kernels AS k WHERE k.function_id = w.value)
   OR EXISTS (SELECT 1 FROM operator_functions AS o WHERE o.function_id = w.value)
   OR EXISTS (SELECT 1 FROM stub_registrations AS s WHERE s.function_id = w.value) LIMIT 1
