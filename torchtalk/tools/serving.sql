-- name: has_key
-- Does any overload of an operator have an entry for a dispatch key?
SELECT 1 FROM operators AS o JOIN dispatch AS d ON d.operator_id = o.id
WHERE o.namespace = 'aten' AND o.base = :base AND d.dispatch_key = :key LIMIT 1

-- name: called
-- Which functions of the C++ API do the composite kernels of an operator call, line by line?
SELECT DISTINCT substr(c.callee, 5) AS name
FROM operators AS o
JOIN dispatch AS d ON d.operator_id = o.id AND d.dispatch_key LIKE 'Composite%'
JOIN dispatch_kernels AS k ON k.dispatch_id = d.id
JOIN operator_calls AS c ON c.caller_id = k.function_id
WHERE o.namespace = 'aten' AND o.base = :base
  AND NOT c.is_member AND c.callee LIKE 'at::%' AND instr(substr(c.callee, 5), '::') = 0
ORDER BY c.line

-- name: operator
SELECT 1 FROM operators WHERE namespace = 'aten' AND base = :base LIMIT 1
