-- name: classes
-- Which classes do full names stand for: their own, public ones, those by which other packages show them?
WITH asked (name, id, is_alias) AS (
    SELECT name, id, 0 FROM python_classes WHERE name IN (SELECT value FROM json_each(:names))
    UNION SELECT public_name, id, 0 FROM python_classes WHERE public_name IN (SELECT value FROM json_each(:names))
    UNION SELECT name, class_id, 1 FROM python_aliases
    WHERE name IN (SELECT value FROM json_each(:names)) AND class_id IS NOT NULL
)
SELECT c.id, c.name, c.public_name, c.category, c.section, c.doc, c.decorators, c.line, f.path,
       a.name AS asked, a.is_alias
FROM asked AS a
JOIN python_classes AS c ON c.id = a.id
JOIN python_modules AS m ON m.id = c.module_id
JOIN source_files AS f ON f.id = m.file_id
ORDER BY a.is_alias, c.guarded, c.id

-- name: ending
-- Which classes end in this name, those that people use first?
SELECT c.id, c.name, c.public_name, c.category, c.section, c.doc, c.decorators, c.line, f.path, 0 AS is_alias
FROM python_classes AS c
JOIN python_modules AS m ON m.id = c.module_id
JOIN source_files AS f ON f.id = m.file_id
WHERE c.last = :last COLLATE NOCASE
ORDER BY c.last <> :last, c.section IS NULL, c.category IN ('other', 'test'),
    c.public_name IS NULL, length(coalesce(c.public_name, c.name)), c.name

-- name: classes_in
-- Which classes does a module define itself, or show by public names of its own? `/` is what follows `.`.
SELECT coalesce(public_name, name) AS class FROM python_classes
WHERE name > :module || '.' AND name < :module || '/' AND name = :module || '.' || last
UNION
SELECT public_name FROM python_classes
WHERE public_name > :module || '.' AND public_name < :module || '/'
  AND instr(substr(public_name, length(:module) + 2), '.') = 0
ORDER BY class

-- name: places
-- Where do classes stand?
SELECT c.id, f.path, c.line
FROM json_each(:ids) AS wanted
JOIN python_classes AS c ON c.id = wanted.value
JOIN python_modules AS m ON m.id = c.module_id
JOIN source_files AS f ON f.id = m.file_id

-- name: bound_classes
-- Where does C++ bind classes by these names?
SELECT b.python_name AS name, f.path, b.line
FROM json_each(:names) AS wanted
JOIN bindings AS b ON b.python_name = wanted.value
JOIN source_files AS f ON f.id = b.file_id
WHERE b.form IN ('class', 'type')
ORDER BY b.id

-- name: methods
-- The methods that a class itself defines.
SELECT p.id, p.name, p.kind, p.signature, p.doc, p.line, f.path
FROM python_functions AS p
JOIN python_modules AS m ON m.id = p.module_id
JOIN source_files AS f ON f.id = m.file_id
WHERE p.class_id = :id
ORDER BY p.line, p.id

-- name: bound
-- What do classes have under a method's name, class for class, and is it computed, a property?
SELECT wanted.key AS position, p.id AS function_id, p.kind = 'property' AS is_property, p.line AS line
FROM json_each(:ids) AS wanted
CROSS JOIN python_classes AS c ON c.id = wanted.value
CROSS JOIN python_modules AS m ON m.id = c.module_id
CROSS JOIN python_functions AS p ON p.name = substr(c.name, length(m.name) + 2) || '.' || :name
    AND +p.class_id = c.id AND p.kind NOT IN ('overload', 'setter') AND NOT p.guarded
UNION ALL
SELECT wanted.key, a.function_id, 0, 0
FROM json_each(:ids) AS wanted
CROSS JOIN python_classes AS c ON c.id = wanted.value
CROSS JOIN python_aliases AS a ON a.name = c.name || '.' || :name AND a.function_id IS NOT NULL
ORDER BY position, line DESC

-- name: held
-- Of which class is what classes say that their objects hold as an attribute, class for class?
SELECT wanted.key AS position, h.id AS class_id
FROM json_each(:ids) AS wanted
CROSS JOIN python_classes AS c ON c.id = wanted.value
CROSS JOIN python_modules AS m ON m.id = c.module_id
CROSS JOIN python_bindings AS b ON b.module_id = m.id AND b.id >= m.file_id * 16
    AND b.id < coalesce((SELECT min(n.id) FROM source_files AS n WHERE n.id > m.file_id) * 16, 1 << 40)
    AND b.scope = substr(c.name, length(m.name) + 2) AND b.name = :name AND b.kind = 'attribute'
CROSS JOIN python_classes AS h ON h.name || '()' = b.target
ORDER BY wanted.key, b.id LIMIT 1

-- name: classes_named
-- Which classes do names stand for that files know them by, the likeliest first?
SELECT wanted.value AS name, c.id AS id, 1 AS rank
FROM json_each(:names) AS wanted JOIN python_classes AS c ON c.name = wanted.value AND NOT c.guarded
UNION ALL
SELECT wanted.value, c.id, 2 FROM json_each(:names) AS wanted JOIN python_classes AS c ON c.public_name = wanted.value
UNION ALL
SELECT wanted.value, a.class_id, 3
FROM json_each(:names) AS wanted JOIN python_aliases AS a ON a.name = wanted.value AND a.class_id IS NOT NULL
ORDER BY rank, id

-- name: gives
-- What does a property return, or else an attribute hold, by the nearest class that says so?
WITH said AS (
    SELECT wanted.key AS position, b.target AS target
    FROM json_each(:ids) AS wanted
    CROSS JOIN python_classes AS c ON c.id = wanted.value
    CROSS JOIN python_modules AS m ON m.id = c.module_id
    CROSS JOIN python_bindings AS b ON b.module_id = m.id AND b.id >= m.file_id * 16
        AND b.id < coalesce((SELECT min(n.id) FROM source_files AS n WHERE n.id > m.file_id) * 16, 1 << 40)
        AND b.scope = substr(c.name, length(m.name) + 2) AND b.name = :name AND b.kind = 'attribute'
    WHERE NOT :function OR wanted.key < :position
    UNION
    SELECT :position, returns FROM python_functions WHERE id = :function
)
SELECT DISTINCT target FROM said WHERE position = (SELECT min(position) FROM said)

-- name: hooks
-- Which of their methods do classes have run around `forward`, where they are made? An object registers them on itself.
SELECT DISTINCT r.function_id, m.name || '.' || p.name AS name, f.path, c.line, t.target GLOB '*_pre_hook' AS is_before
FROM json_each(:ids) AS wanted
CROSS JOIN python_classes AS k ON k.id = wanted.value
CROSS JOIN python_functions AS i ON i.class_id = k.id AND i.name GLOB '*.__init__'
CROSS JOIN python_calls AS c ON c.caller_id = i.id AND c.kind = 0
CROSS JOIN python_targets AS t ON t.id = c.target_id
    AND t.target IN (k.name || '().register_forward_pre_hook', k.name || '().register_forward_hook')
CROSS JOIN python_calls AS h ON h.caller_id = i.id AND h.kind = 4 AND h.line BETWEEN c.line AND c.line + 1
CROSS JOIN python_targets AS n ON n.id = h.target_id AND n.target GLOB k.name || '().*'
CROSS JOIN python_resolutions AS r ON r.target_id = n.id AND r.function_id IS NOT NULL
CROSS JOIN python_functions AS p ON p.id = r.function_id
CROSS JOIN python_modules AS m ON m.id = p.module_id
CROSS JOIN python_modules AS w ON w.id = i.module_id
CROSS JOIN source_files AS f ON f.id = w.file_id
ORDER BY wanted.key, c.line, p.line

-- name: class_of
-- Which class is a function a method of, and under which name?
SELECT class_id, name FROM python_functions WHERE id = :id

-- name: calls
-- What functions call on their way, in Python or bound in C++; kind 3 is what only checks or complains. An operator's
-- own object that is handed on (kind 4) is a key, to register something for it or to compare with, and does not run.
SELECT c.caller_id, c.line, r.function_id, r.native_id, n.name AS native, t.target, c.kind, p.class_id
FROM json_each(:ids) AS wanted
CROSS JOIN python_calls AS c ON c.caller_id = wanted.value AND c.kind NOT IN (3, 5, 6, 7)
CROSS JOIN python_resolutions AS r ON r.target_id = c.target_id AND r.class_id IS NULL
CROSS JOIN python_targets AS t ON t.id = c.target_id
LEFT JOIN python_natives AS n ON n.id = r.native_id
LEFT JOIN python_functions AS p ON p.id = r.function_id
WHERE c.kind <> 4 OR n.name IS NULL OR n.name NOT LIKE 'torch.ops.%'
ORDER BY c.caller_id, c.line, c.target_id, r.rowid

-- name: bound_natives
-- Which names stand for functions of C++ that are no operators, and which operators do these run? What dozens of
-- functions call, as torch._C._log_api_usage_once, is what none of them is about.
SELECT *,
       (SELECT group_concat(name, ', ') FROM (
            SELECT DISTINCT o.name
            FROM bindings AS b
            JOIN edges AS e ON e.source = b.function_id * 16
            JOIN edge_kinds AS k ON k.id = e.kind_id AND k.kind = 'operator'
            JOIN operators AS o ON o.id = e.target >> 4 AND e.target & 15 = 1
            WHERE b.python_name = native.name
            ORDER BY o.id LIMIT 3)) AS operators
FROM (
    SELECT n.id, n.name, f.path, b.line,
           (SELECT count(DISTINCT c.caller_id) FROM python_resolutions AS r
            JOIN python_calls AS c ON c.target_id = r.target_id WHERE r.native_id = n.id) AS callers
    FROM json_each(:ids) AS wanted
    JOIN python_natives AS n ON n.id = wanted.value AND n.how = 'bound'
     AND NOT EXISTS (SELECT 1 FROM python_native_operators AS o WHERE o.native_id = n.id)
    JOIN bindings AS b ON b.python_name = n.name AND b.form NOT IN ('class', 'type')
    JOIN source_files AS f ON f.id = b.file_id
    GROUP BY n.id
) AS native
WHERE callers < 24

-- name: unfollowed
-- How many methods do functions call on values whose type is not known?
SELECT coalesce(sum(u.calls), 0) AS calls
FROM json_each(:ids) AS wanted JOIN python_unfollowed AS u ON u.function_id = wanted.value

-- name: looked_up
-- Which of these functions run what decorators put into a table, and how many functions are in it?
SELECT m.name || '.' || p.name AS name, f.path, min(c.line) AS line, count(DISTINCT r.function_id) AS held
FROM json_each(:ids) AS wanted
JOIN python_calls AS c ON c.caller_id = wanted.value AND c.kind = 5
JOIN python_targets AS t ON t.id = c.target_id AND t.target GLOB '*{}'
JOIN python_resolutions AS r ON r.target_id = c.target_id AND r.function_id IS NOT NULL
JOIN python_functions AS p ON p.id = c.caller_id
JOIN python_modules AS m ON m.id = p.module_id
JOIN source_files AS f ON f.id = m.file_id
GROUP BY c.caller_id, c.target_id
ORDER BY wanted.key, min(c.line)

-- name: functions
-- Names and places of functions.
SELECT p.id, m.name || '.' || p.name AS name, p.class_id, f.path, p.line
FROM json_each(:ids) AS wanted
JOIN python_functions AS p ON p.id = wanted.value
JOIN python_modules AS m ON m.id = p.module_id
JOIN source_files AS f ON f.id = m.file_id

-- name: operators
-- The operators behind names that are bound in C++; out variants and named dimensions come last.
SELECT
    n.native_id, o.id, o.name, o.kind, f.path, o.line,
    EXISTS (SELECT 1 FROM arguments AS a WHERE a.operator_id = o.id AND a.type LIKE 'Dimname%') AS is_named,
    EXISTS (SELECT 1 FROM returns AS r WHERE r.operator_id = o.id AND r.type LIKE 'Tensor%')
    OR EXISTS (SELECT 1 FROM arguments AS a WHERE a.operator_id = o.id AND a.is_write)
        AS makes_tensors,
    -- at::TensorBase answers `size` and its like itself (aten/src/ATen/core/TensorBase.h); `item` runs a kernel.
    EXISTS (SELECT 1 FROM operators AS s
            WHERE s.base = o.base AND s.namespace = o.namespace AND s.manual_cpp_binding) AS is_manual
FROM json_each(:ids) AS wanted
JOIN python_native_operators AS n ON n.native_id = wanted.value
JOIN operators AS o ON o.id = n.operator_id
LEFT JOIN source_files AS f ON f.id = o.file_id
ORDER BY n.native_id, o.kind = 'out', is_named, o.id

-- name: kernels
-- What operators dispatch to on the main backends; of those that these have nothing for, as `quantized::linear`, on others.
WITH entries AS (
    SELECT o.name AS operator, d.id, d.dispatch_key AS key, d.kernel,
           d.dispatch_key IN ('CPU', 'CUDA', 'MPS', 'CompositeImplicitAutograd', 'CompositeExplicitAutograd',
                              'CompositeExplicitAutogradNonFunctional') AS is_main
    FROM json_each(:names) AS wanted
    JOIN operators AS o ON o.name = wanted.value
    JOIN dispatch AS d ON d.operator_id = o.id
    WHERE d.kernel IS NOT NULL
)
SELECT e.operator, e.key, e.kernel, k.function_id AS kernel_id, kf.path AS kernel_file,
       coalesce(u.line, r.kernel_line) AS kernel_line
FROM entries AS e
LEFT JOIN dispatch_kernels AS k ON k.dispatch_id = e.id AND k.is_primary
LEFT JOIN functions AS u ON u.id = k.function_id
LEFT JOIN dispatch_registrations AS l ON l.dispatch_id = e.id
LEFT JOIN registrations AS r ON r.id = l.registration_id
LEFT JOIN source_files AS kf ON kf.id = coalesce(u.file_id, r.kernel_file_id)
WHERE e.is_main
   OR (NOT EXISTS (SELECT 1 FROM entries AS m WHERE m.operator = e.operator AND m.is_main)
       AND (e.key GLOB 'Quantized*' OR e.key GLOB 'Sparse*' OR e.key GLOB 'Nested*' OR e.key GLOB 'Mkldnn*'
            OR e.key IN ('XPU', 'Vulkan', 'Metal', 'HIP')))