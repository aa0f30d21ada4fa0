-- name: has_key
-- Does any overload of an operator have an entry for a dispatch key?
SELECT 1 FROM operators AS o JOIN dispatch AS d ON d.operator_id = o.id
WHERE o.namespace = 'aten' AND o.base = :base AND d.dispatch_key = :key LIMIT 1

-- name: is_view
-- Is an operator always a view? All its overloads return a part of their argument unwritten (is_view_op,
-- torchgen/model.py), and one has a kernel that Autograd knows, which makes its result a view (as_view,
-- tools/autograd/gen_inplace_or_view_type.py). What is but CompositeImplicitAutograd, as `reshape`, may copy.
WITH overloads (is_view, is_implicit) AS (
    SELECT EXISTS (SELECT 1 FROM returns AS r WHERE r.operator_id = o.id
                     AND r.alias_annotation IS NOT NULL AND NOT instr(r.alias_annotation, '!')),
           EXISTS (SELECT 1 FROM dispatch AS d WHERE d.operator_id = o.id
                     AND d.dispatch_key = 'CompositeImplicitAutograd')
    FROM operators AS o WHERE o.namespace = 'aten' AND o.base = :base AND o.origin <> 'autogen'
)
SELECT 1 WHERE (SELECT min(is_view) AND NOT min(is_implicit) FROM overloads)

-- name: is_factory
-- Does an operator make tensors from options, as `called` of operator_calls.sql says of what is called?
SELECT 1
FROM operators AS o
JOIN arguments AS p ON p.operator_id = o.id AND p.name = 'pin_memory'
WHERE o.namespace = 'aten' AND o.base = :base
  AND (o.base GLOB 'new_*' OR o.base GLOB '*_like'
       OR NOT EXISTS (SELECT 1 FROM arguments AS a WHERE a.operator_id = o.id AND a.name = 'self' AND a.type = 'Tensor'))
LIMIT 1

-- name: stub_kernels
-- What is registered for a device in the stubs that functions call, but for those that they call for the CPU alone?
SELECT DISTINCT r.function_id AS id
FROM json_each(:functions) AS w
CROSS JOIN stub_callers AS s ON s.function_id = w.value AND NOT instr(coalesce(s.device, ''), 'CPU')
CROSS JOIN stub_registrations AS r ON r.stub = s.stub AND r.backend = :key AND r.function_id IS NOT NULL
ORDER BY 1

-- name: has_stub
-- Does one of these functions, through others of its file, call a stub in which something is registered for a key? So
-- `copy_` does its work, which has one kernel for all: copy_impl calls copy_stub (aten/src/ATen/native/Copy.cpp).
WITH RECURSIVE through (id, file_id, depth) AS (
    SELECT u.id, u.file_id, 0 FROM json_each(:functions) AS w CROSS JOIN functions AS u ON u.id = w.value
    UNION
    SELECT u.id, u.file_id, t.depth + 1
    FROM through AS t
    CROSS JOIN calls AS c ON c.caller_id = t.id AND c.kind = 'call'
    CROSS JOIN functions AS u ON u.id = c.callee_id AND u.file_id = t.file_id
    WHERE unlikely(t.depth < :calls)
)
SELECT 1
FROM (SELECT DISTINCT id FROM through) AS t
CROSS JOIN stub_callers AS s ON s.function_id = t.id AND NOT instr(coalesce(s.device, ''), 'CPU')
CROSS JOIN stub_registrations AS r ON r.stub = s.stub AND r.backend = :key AND r.function_id IS NOT NULL
LIMIT 1
