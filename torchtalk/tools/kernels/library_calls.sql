-- name: functions
-- Where functions are written.
SELECT u.id, f.path, u.line, u.end_line
FROM json_each(:functions) AS w
CROSS JOIN functions AS u ON u.id = w.value
CROSS JOIN source_files AS f ON f.id = u.file_id AND f.kind IN ('cpp', 'cuda', 'objc')

-- name: called
-- What functions call in files that know of libraries, and their specializations.
SELECT c.callee_id AS id, f.path, u.line, u.end_line
FROM json_each(:functions) AS w
CROSS JOIN calls AS c ON c.caller_id = w.value AND c.kind IN ('call', 'candidate')
CROSS JOIN functions AS u ON u.id = c.callee_id
CROSS JOIN source_files AS f ON f.id = u.file_id
WHERE f.kind IN ('cpp', 'cuda', 'objc') AND f.path NOT GLOB 'c10/*' AND f.path NOT GLOB '*/ATen/core/*'
  AND (c.kind = 'call' OR NOT EXISTS (SELECT 1 FROM ambiguous_calls AS a
                                      WHERE a.callee_id = c.callee_id AND a.caller_id = c.caller_id))
UNION
SELECT u.id, f.path, u.line, u.end_line
FROM json_each(:functions) AS w
CROSS JOIN edges AS e ON e.source = w.value * 16 AND e.target & 15 = 0
CROSS JOIN functions AS u ON u.id = e.target >> 4
CROSS JOIN source_files AS f ON f.id = u.file_id
WHERE e.kind_id IN (SELECT id FROM edge_kinds WHERE kind = 'specialization')
ORDER BY 2, 3, 1

-- name: file
SELECT id, path, sha FROM source_files WHERE path = :path

-- name: own
-- Does the tree define a function of this name, in whatever namespace?
SELECT 1 FROM functions AS u JOIN source_files AS f ON f.id = u.file_id AND f.kind IN ('cpp', 'cuda')
WHERE u.last = :name COLLATE NOCASE AND u.line < u.end_line LIMIT 1
