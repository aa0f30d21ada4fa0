-- name: has_key
-- Does any overload of an operator have an entry for a dispatch key?
SELECT 1 FROM operators AS o JOIN dispatch AS d ON d.operator_id = o.id
WHERE o.namespace = 'aten' AND o.base = :base AND d.dispatch_key = :key LIMIT 1

-- name: called
-- Which functions of the C++ API do the composite kernels of an operator call, line by line? Calls that
-- libclang has resolved are in the graph alone.
WITH own (id) AS (
    SELECT DISTINCT k.function_id
    FROM operators AS o
    JOIN dispatch AS d ON d.operator_id = o.id AND d.dispatch_key LIKE 'Composite%'
    JOIN dispatch_kernels AS k ON k.dispatch_id = d.id
    WHERE o.namespace = 'aten' AND o.base = :base
)
SELECT name FROM (
    SELECT substr(c.callee, 5) AS name, c.line
    FROM own JOIN operator_calls AS c ON c.caller_id = own.id
    WHERE NOT c.is_member AND c.callee LIKE 'at::%' AND instr(substr(c.callee, 5), '::') = 0
    UNION
    SELECT o.base, e.line
    FROM own
    JOIN edges AS e ON e.source = own.id * 16
    JOIN edge_kinds AS k ON k.id = e.kind_id AND k.kind = 'operator' AND k.origin = 'clang'
    JOIN operators AS o ON e.target = o.id * 16 + 1 AND o.namespace = 'aten')
GROUP BY name ORDER BY min(line), name

-- name: operator
SELECT 1 FROM operators WHERE namespace = 'aten' AND base = :base LIMIT 1
