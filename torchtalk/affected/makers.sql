-- name: made_on
-- What do statements of a file of Python make or register: operators that they define, stages of torch.compile, kernels?
-- Only what is in no function, whose own statements they are.
WITH made (rank, operator, what, line) AS (
    SELECT 0, name, '', line FROM operators WHERE file_id = :file AND origin = 'library'
    UNION
    SELECT 1, coalesce(o.name, e.operator), e.role, e.line FROM compile_entries AS e
    LEFT JOIN operators AS o ON o.id = e.operator_id
    WHERE e.file_id = :file AND instr(e.operator, '::')
    UNION
    SELECT 2, operator, coalesce(dispatch_key, ''), line FROM registrations
    WHERE file_id = :file AND operator IS NOT NULL
)
SELECT rank, operator, what, line FROM made AS x
WHERE NOT EXISTS (
    SELECT 1 FROM python_modules AS m JOIN python_functions AS p ON p.module_id = m.id
    WHERE m.file_id = :file AND x.line BETWEEN p.line AND p.end_line)
ORDER BY line, rank, operator, what

-- name: entries_of_assigned
-- Which OpInfos are called like what a module assigns to? _refs.softmax is torch._refs.softmax.
SELECT DISTINCT o.id, o.name, o.variant, b.line FROM python_modules AS m
CROSS JOIN python_bindings AS b ON b.module_id = m.id AND b.scope = '' AND b.kind IN ('alias', 'call')
CROSS JOIN opinfos AS o ON o.kind = 'op' AND o.name = substr(m.name || '.' || b.name, length('torch.') + 1)
WHERE m.file_id = :file AND m.name || '.' GLOB 'torch.*' ORDER BY b.line, o.id

-- name: decorated_by_assigned
-- Which functions of a file have a decorator that the module makes by an assignment: `cast = partial(type_casts, …)`?
SELECT DISTINCT p.id, m.name || '.' || p.name AS name, b.name AS decorator, b.line FROM python_modules AS m
CROSS JOIN python_bindings AS b ON b.module_id = m.id AND b.scope = '' AND b.kind = 'call'
CROSS JOIN python_functions AS p ON p.module_id = m.id AND p.line > b.line AND p.decorators <> ''
    AND (instr(char(10) || p.decorators || char(10), char(10) || b.name || char(10))
         OR instr(char(10) || p.decorators, char(10) || b.name || '('))
WHERE m.file_id = :file ORDER BY b.line, p.id

-- name: variables_of_operator
-- Which variables of modules hold an operator that the statement defines which assigns to them? See imported in
-- torchtalk/names/names.sql of the range of the ids.
SELECT DISTINCT m.name || '.' || b.name AS name FROM operators AS o
JOIN python_modules AS m ON m.file_id = o.file_id
CROSS JOIN python_bindings AS b ON b.module_id = m.id AND b.id >= m.file_id * 16
    AND b.id < coalesce((SELECT min(n.id) FROM source_files AS n WHERE n.id > m.file_id) * 16, 1 << 40)
WHERE o.namespace = :namespace AND o.base = :base AND b.line = o.line AND b.scope = '' AND b.kind IN ('alias', 'call')
ORDER BY 1

-- name: making
-- Which statements of modules that register something assign what a call makes, of what?
SELECT b.target, m.file_id, b.line FROM python_modules AS m JOIN python_bindings AS b ON b.module_id = m.id
WHERE b.scope = '' AND b.kind = 'call' AND m.file_id IN (
    SELECT file_id FROM compile_entries UNION SELECT file_id FROM operators WHERE origin = 'library')
ORDER BY b.id
