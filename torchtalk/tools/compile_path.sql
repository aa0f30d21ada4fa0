-- name: built
-- Has this index anything of torch.compile?
SELECT count(*) FROM (SELECT 1 FROM compile_entries WHERE role IN ('decomposition', 'lowering', 'meta') LIMIT 1)

-- name: has_inductor
SELECT count(*) FROM (SELECT 1 FROM compile_entries WHERE role = 'lowering' LIMIT 1)

-- name: own_tables
-- What does a higher-order operator do while a graph is made of it? torch/_ops.py, OperatorBase.py_impl.
SELECT d.dispatch_key, d.kernel, kf.path AS kernel_path, r.kernel_line, f.path, d.line
FROM operators AS o
JOIN dispatch AS d ON d.operator_id = o.id
JOIN dispatch_registrations AS l ON l.dispatch_id = d.id
JOIN registrations AS r ON r.id = l.registration_id AND r.kernel_form <> 'fallthrough'
JOIN source_files AS f ON f.id = d.file_id
LEFT JOIN source_files AS kf ON kf.id = r.kernel_file_id
WHERE o.name = :operator AND o.namespace = 'higher_order'
ORDER BY d.id

-- name: higher_order
-- A higher-order operator by its name or the variable that holds it.
SELECT 'higher_order::' || h.name AS name, h.variable, h.class_name, f.path, h.line
FROM higher_order_operators AS h
JOIN source_files AS f ON f.id = h.file_id
WHERE h.name = :name OR h.variable = :name
ORDER BY h.name = :name DESC, h.id LIMIT 1

-- name: has_core
SELECT EXISTS (SELECT 1 FROM tags WHERE name = 'core') OR NOT EXISTS (SELECT 1 FROM tags)

-- name: overloads
-- The overloads asked for: what they are, whether they are of Core ATen; NULL in a version without such a tag.
SELECT o.id, o.name, o.namespace, o.base, o.kind, f.path, o.line,
       CASE WHEN EXISTS (SELECT 1 FROM tags WHERE name = 'core')
            THEN EXISTS (SELECT 1 FROM operator_tags AS t WHERE t.operator_id = o.id AND t.tag = 'core') END AS is_core,
       EXISTS (SELECT 1 FROM dispatch AS d WHERE d.operator_id = o.id
               AND d.dispatch_key = 'CompositeImplicitAutograd') AS is_composite,
       (SELECT u.entry FROM derivative_uses AS u WHERE u.operator_id = o.id) AS derivative,
       (SELECT count(*) FROM dispatch AS d WHERE d.operator_id = o.id
        AND d.dispatch_key = 'Autograd' AND d.origin <> 'yaml') AS autograd
FROM json_each(:names) AS wanted
JOIN operators AS o ON o.name = wanted.value
LEFT JOIN source_files AS f ON f.id = o.file_id
ORDER BY wanted.key

-- name: functional
-- The functional variant of an operator that writes into its arguments (torchgen/gen_functionalization_type.py, which
-- pairs those of native_functions.yaml): not `squeeze_copy` where there is `squeeze`.
SELECT f.name
FROM operators AS o
JOIN operators AS f ON f.signature = o.signature AND f.namespace = o.namespace AND f.kind = 'functional'
WHERE o.name = :operator AND o.namespace = 'aten'
ORDER BY f.base <> CASE o.kind WHEN 'inplace' THEN substr(o.base, 1, length(o.base) - 1) ELSE o.base END, f.id LIMIT 1

-- name: packet
SELECT o.name FROM operators AS o WHERE o.namespace = :namespace AND o.base = :base ORDER BY o.id

-- name: entries
-- Every stage's function of one operator.
SELECT e.role, e.table_name, e.function, uf.path AS function_path, e.function_line, e.how, e.kernels,
       e.condition, e.is_conditional, f.path, e.line
FROM compile_entries AS e
LEFT JOIN source_files AS uf ON uf.id = e.function_file_id
LEFT JOIN source_files AS f ON f.id = e.file_id
WHERE e.operator = :operator
ORDER BY e.is_conditional, e.id

-- name: tables
-- Which tables of decompositions have the operator, and which had it taken out?
SELECT t.table_name, t.removed, f.path, t.line, e.function, uf.path AS function_path, e.function_line, e.table_name AS kind
FROM compile_tables AS t
LEFT JOIN compile_entries AS e ON e.id = t.entry_id
LEFT JOIN source_files AS uf ON uf.id = e.function_file_id
LEFT JOIN source_files AS f ON f.id = t.file_id
WHERE t.operator = :operator
ORDER BY t.table_name

-- name: added_tables
-- The tables that the chosen one adds to Inductor's own, in the order in which they replace entries.
SELECT s.source FROM compile_table_steps AS s
WHERE s.table_name = :chosen AND s.action = 'merge'
  AND s.source NOT IN (SELECT o.source FROM compile_table_steps AS o
                       WHERE o.table_name = :own AND o.action = 'merge')
ORDER BY s.id

-- name: derivative
SELECT f.path, e.line FROM derivative_entries AS e JOIN source_files AS f ON f.id = e.file_id
WHERE e.operator = :entry

-- name: lists
-- Named lists that have the overload, or all overloads of its packet.
SELECT DISTINCT l.name, f.path, l.line
FROM compile_lists AS l
JOIN source_files AS f ON f.id = l.file_id
WHERE l.operator = :operator
   OR (l.all_overloads AND l.operator = :packet)
   OR l.operator IN (SELECT o.namespace || '::<tag:' || t.tag || '>' FROM operator_tags AS t
                     JOIN operators AS o ON o.id = t.operator_id WHERE o.name = :operator)
ORDER BY l.name

-- name: python_calls
-- Which operators does a Python function call, by itself and through helpers of its module? With `:named` also those
-- that nothing in the index defines: an installed package has none that C++ alone defines.
WITH RECURSIVE through (id, module_id, depth) AS (
    SELECT p.id, p.module_id, 0
    FROM python_functions AS p
    JOIN python_modules AS m ON m.id = p.module_id
    JOIN source_files AS f ON f.id = m.file_id
    WHERE p.name = :name AND p.line = :line AND f.path = :path
    UNION
    SELECT p.id, p.module_id, t.depth + 1
    FROM through AS t
    CROSS JOIN python_calls AS c ON c.caller_id = t.id
    CROSS JOIN python_resolutions AS r ON r.target_id = c.target_id
    -- What decorates it (6) it does not call; said of `c` alone, SQLite would make a filter of that whole table.
    CROSS JOIN python_functions AS p ON p.id = CASE WHEN c.kind IN (6, 7) THEN NULL ELSE r.function_id END
     AND p.module_id = t.module_id
    WHERE t.depth < 2
)
SELECT coalesce(o.namespace || '::' || o.base, replace(substr(n.name, 11), '.', '::')) AS packet,
       min(t.depth), min(c.line)
-- CROSS JOIN: SQLite keeps this order, from the few functions outwards.
FROM through AS t
CROSS JOIN python_calls AS c ON c.caller_id = t.id
CROSS JOIN python_resolutions AS r ON r.target_id = c.target_id
CROSS JOIN python_natives AS n ON n.id = r.native_id
LEFT JOIN python_native_operators AS l ON l.native_id = n.id
LEFT JOIN operators AS o ON o.id = l.operator_id
WHERE o.id IS NOT NULL OR (:named AND n.name LIKE 'torch.ops.%.%')
GROUP BY packet
ORDER BY min(t.depth), min(c.line), packet
LIMIT 24

-- name: declines
-- Does this function return NotImplemented somewhere, and so leaves the operator alone?
SELECT count(*) FROM compile_functions WHERE name = :name AND declines

-- name: apis
-- Public names that end at these overloads, the shortest first.
SELECT DISTINCT a.api
FROM json_each(:names) AS wanted
JOIN operators AS o ON o.name = wanted.value
JOIN python_apis AS a ON a.operator_id = o.id
ORDER BY length(a.api), a.api LIMIT 60

-- name: rules
-- What Dynamo does with these names.
SELECT r.kind, r.name, r.target, r.target_line, f.path, r.line
FROM json_each(:names) AS wanted
JOIN dynamo_rules AS r ON r.name = wanted.value
JOIN source_files AS f ON f.id = r.file_id
ORDER BY r.kind <> 'handler', wanted.key, r.id

-- name: same
-- Other names of a function or class of Python: where it is defined, and the public ones.
WITH meant (id) AS (
    SELECT p.id FROM python_apis AS a JOIN python_functions AS p ON p.id = a.function_id
    WHERE a.api = :name AND a.via IN ('python', 'python only') AND p.name = :last
    UNION
    SELECT a.function_id FROM python_aliases AS a WHERE a.name = :name AND a.function_id IS NOT NULL
    UNION
    SELECT p.id FROM python_functions AS p JOIN python_modules AS m ON m.id = p.module_id
    WHERE p.name = :last AND m.name || '.' || p.name = :name
)
SELECT m.name || '.' || p.name AS name
FROM meant JOIN python_functions AS p ON p.id = meant.id JOIN python_modules AS m ON m.id = p.module_id
UNION
SELECT a.api
FROM python_apis AS a
JOIN python_functions AS p ON p.id = a.function_id
WHERE a.function_id IN (SELECT id FROM meant) AND a.via IN ('python', 'python only') AND a.api LIKE '%.' || p.name
UNION
SELECT c.name FROM python_classes AS c WHERE c.last = :last AND c.public_name = :name
UNION
SELECT c.public_name FROM python_classes AS c WHERE c.name = :name AND c.public_name IS NOT NULL
UNION
SELECT c.name FROM python_aliases AS a JOIN python_classes AS c ON c.id = a.class_id WHERE a.name = :name
ORDER BY 1

-- name: methods
-- Which methods of these names does a class of Dynamo have?
SELECT m.name || '.' || p.name AS function, f.path, p.line
FROM python_functions AS p
JOIN python_modules AS m ON m.id = p.module_id AND m.name = :module
JOIN source_files AS f ON f.id = m.file_id
WHERE p.name IN (SELECT value FROM json_each(:names))
ORDER BY p.line

-- name: patterns
-- Patterns that mention an operator of this name.
SELECT DISTINCT p.id, coalesce(p.stage, '') AS stage, p.form, coalesce(p.function, '') AS function,
       coalesce(p.replacement, '') AS replacement, f.path, p.line
FROM compile_pattern_operators AS o
JOIN compile_patterns AS p ON p.id = o.pattern_id
JOIN source_files AS f ON f.id = p.file_id
WHERE o.base = :base
ORDER BY p.id

-- name: logs
-- Which artifacts of TORCH_LOGS does each stage write to?
SELECT CASE
         WHEN f.path LIKE 'torch/\_dynamo/%' ESCAPE '\' THEN 'Dynamo'
         WHEN f.path LIKE 'torch/\_functorch/%' ESCAPE '\' THEN 'AOT'
         WHEN f.path LIKE 'torch/\_inductor/%' ESCAPE '\' THEN 'Inductor'
       END AS stage,
       u.artifact
FROM artifact_uses AS u
JOIN source_files AS f ON f.id = u.file_id
JOIN compile_options AS o ON o.kind = 'artifact' AND o.name = u.artifact AND o.details LIKE '%visible%'
WHERE f.path LIKE 'torch/\_dynamo/%' ESCAPE '\' OR f.path LIKE 'torch/\_functorch/%' ESCAPE '\'
   OR f.path LIKE 'torch/\_inductor/%' ESCAPE '\'
GROUP BY stage, u.artifact
ORDER BY stage, u.artifact

-- name: class_of_dynamo
-- Where is a class of Dynamo's variables?
SELECT f.path, c.line
FROM python_classes AS c
JOIN python_modules AS m ON m.id = c.module_id
JOIN source_files AS f ON f.id = m.file_id
WHERE c.name = :module || '.' || :name

-- name: is_module
SELECT 1 FROM python_modules WHERE name = :name

-- name: bound_methods
-- Which operators does a public name reach by nothing but a method that C++ binds to objects of its own?
SELECT o.name AS operator, min(n.name) AS method
FROM python_apis AS a
JOIN operators AS o ON o.id = a.operator_id
JOIN python_modules AS m ON m.file_id = a.file_id
JOIN python_functions AS p ON p.module_id = m.id AND a.line BETWEEN p.line AND p.end_line
JOIN python_calls AS c ON c.caller_id = p.id AND c.line = a.line
JOIN python_resolutions AS r ON r.target_id = c.target_id
JOIN python_natives AS n ON n.id = r.native_id
JOIN python_native_operators AS x ON x.native_id = n.id AND x.operator_id = o.id
WHERE a.api = :api
GROUP BY o.id HAVING min(n.how) = 'bound' AND max(n.how) = 'bound'
