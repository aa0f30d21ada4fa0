-- name: of_functions
-- What functions call of libraries, in the order of the functions given.
SELECT u.id, f.path, u.line AS begin, l.line, l.name, l.library
FROM json_each(:functions) AS w
CROSS JOIN functions AS u ON u.id = w.value
CROSS JOIN source_files AS f ON f.id = u.file_id
CROSS JOIN v_library_calls AS l ON l.file = f.path AND l.line BETWEEN u.line AND u.end_line
ORDER BY w.key, l.line, l.name

-- name: called
-- What functions call in files that know of libraries, and their specializations, which stand under no `#if`: those
-- that end at a library after so many calls.
SELECT c.caller_id, c.callee_id, u.name, c.line, o.line AS begin, of.path, f.path AS callee_path, u.line AS callee_line
FROM json_each(:functions) AS w
CROSS JOIN calls AS c ON c.caller_id = w.value AND c.kind IN ('call', 'candidate')
CROSS JOIN library_functions AS n ON n.function_id = c.callee_id AND n.calls <= :calls
CROSS JOIN functions AS u ON u.id = c.callee_id
CROSS JOIN source_files AS f ON f.id = u.file_id
CROSS JOIN functions AS o ON o.id = c.caller_id
CROSS JOIN source_files AS of ON of.id = o.file_id
WHERE f.kind IN ('cpp', 'cuda', 'objc') AND f.path NOT GLOB 'c10/*' AND f.path NOT GLOB '*/ATen/core/*'
  AND (c.kind = 'call' OR NOT EXISTS (SELECT 1 FROM ambiguous_calls AS a
                                      WHERE a.callee_id = c.callee_id AND a.caller_id = c.caller_id))
UNION
SELECT w.value, u.id, u.name, 0, 0, NULL, f.path, u.line
FROM json_each(:functions) AS w
CROSS JOIN edges AS e ON e.source = w.value * 16 AND e.target & 15 = 0
CROSS JOIN library_functions AS n ON n.function_id = e.target >> 4 AND n.calls <= :calls
CROSS JOIN functions AS u ON u.id = n.function_id
CROSS JOIN source_files AS f ON f.id = u.file_id
WHERE e.kind_id IN (SELECT id FROM edge_kinds WHERE kind = 'specialization')
ORDER BY 7, 8, 2, 1, 4
