-- name: has_key
-- Does any overload of an operator have an entry for a dispatch key?
SELECT 1 FROM operators AS o JOIN dispatch AS d ON d.operator_id = o.id
WHERE o.namespace = 'aten' AND o.base = :base AND d.dispatch_key = :key LIMIT 1

-- name: called
-- Which operators do the composite kernels of an operator call, by themselves and through functions of their file?
WITH RECURSIVE through (id, file_id, depth) AS (
    SELECT u.id, u.file_id, 0
    FROM operators AS o
    JOIN dispatch AS d ON d.operator_id = o.id AND d.dispatch_key LIKE 'Composite%'
    JOIN dispatch_kernels AS k ON k.dispatch_id = d.id
    JOIN functions AS u ON u.id = k.function_id
    WHERE o.namespace = 'aten' AND o.base = :base
    UNION
    SELECT u.id, u.file_id, t.depth + 1
    FROM through AS t
    CROSS JOIN calls AS c ON c.caller_id = t.id
    CROSS JOIN functions AS u ON u.id = c.callee_id AND u.file_id = t.file_id
    WHERE t.depth < 2
)
SELECT o.base
FROM through AS t
CROSS JOIN edges AS e ON e.source = t.id * 16
CROSS JOIN edge_kinds AS how ON how.id = e.kind_id AND how.kind IN ('operator', 'candidate')
CROSS JOIN operators AS o ON o.id = e.target >> 4 AND e.target = o.id * 16 + 1
WHERE o.namespace = 'aten'
GROUP BY o.base
ORDER BY min(t.depth), min(e.line), o.base
