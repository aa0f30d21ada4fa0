-- name: has_key
-- Does any overload of an operator have an entry for a dispatch key?
SELECT 1 FROM operators AS o JOIN dispatch AS d ON d.operator_id = o.id
WHERE o.namespace = 'aten' AND o.base = :base AND d.dispatch_key = :key LIMIT 1
