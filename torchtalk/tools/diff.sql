-- Statements of `diff`. `old` and `new` are two attached indexes; {db}, {one} and {other} stand for
-- either name. Rows are few enough to be compared and grouped in Python where SQL cannot.

-- name: meta
-- What does an index say of itself?
SELECT key, value FROM {db}.meta

-- name: layers
-- Which layers does it have?
SELECT layer, status FROM {db}.coverage WHERE file IS NULL

-- name: has_formulas
-- Does the tree have formulas? The wheel of PyTorch 2.0 has none in torchgen/packaged, that of 2.3 has.
SELECT EXISTS (SELECT 1 FROM {db}.source_files WHERE path LIKE '%/derivatives.yaml')

-- name: tellable
-- What of an index can be compared with the other? All of it; but where one is of an installed
-- package (:differ), which has no C++ sources, only what the YAML files and the package's Python say. Where one lacks
-- the native layer (:unread), it has nothing of what code registers.
CREATE TEMP VIEW {db}_operators AS
SELECT o.* FROM {db}.operators AS o LEFT JOIN {db}.source_files AS f ON f.id = o.file_id
WHERE o.origin <> 'library' OR NOT {unread} AND (NOT {differ}
    OR f.kind = 'python' AND substr(f.path, 1, instr(f.path, '/')) IN ('torch/', 'torchgen/', 'functorch/'));

CREATE TEMP VIEW {db}_dispatch AS
SELECT d.* FROM {db}.dispatch AS d
WHERE NOT {differ} OR d.origin NOT IN ('impl', 'macro');

CREATE TEMP VIEW {db}_kernels AS
SELECT operator, key, kernel, CASE WHEN {differ} THEN NULL ELSE kernel_file END AS file, kernel_line AS line
FROM {db}.v_dispatch
WHERE kernel IS NOT NULL AND origin <> 'python' AND (NOT {differ} OR origin NOT IN ('impl', 'macro'));

CREATE TEMP VIEW {db}_compile AS
SELECT * FROM {db}.v_compile
WHERE NOT {differ} OR operator NOT IN (
    SELECT name FROM {db}.operators EXCEPT SELECT name FROM temp.{db}_operators);

-- Folders without __init__.py are not installed. Names that C++ binds by hand are known from the
-- sources, or from stubs that lack the properties.
CREATE TEMP VIEW {db}_modules AS
SELECT m.* FROM {db}.python_modules AS m
WHERE NOT {differ} OR instr(m.name, '.') = 0
    OR rtrim(rtrim(m.name, replace(m.name, '.', '')), '.') IN (SELECT name FROM {db}.python_modules);

CREATE TEMP VIEW {db}_apis AS
SELECT a.* FROM {db}.python_apis AS a
WHERE NOT {differ} OR (
    a.api NOT IN (
        SELECT b.api FROM {db}.python_apis AS b
        WHERE b.via IN ('C++ without an operator', 'handwritten', 'stub')
        UNION ALL SELECT b.api FROM {other}.python_apis AS b
        WHERE b.via IN ('C++ without an operator', 'handwritten', 'stub'))
    -- A function of Python is there, whatever C++ has registered of what it ends at.
    AND (a.operator_id IS NULL OR a.function_id IS NOT NULL OR a.operator_id IN (SELECT id FROM temp.{db}_operators))
    AND (a.file_id IS NULL OR a.file_id NOT IN (
        SELECT file_id FROM {db}.python_modules EXCEPT SELECT file_id FROM temp.{db}_modules)));

-- name: only_operators
-- Which overloads are in one index and not in the other, and is anything left of their packet?
SELECT o.name, o.namespace, o.base, o.overload, o.schema, o.origin, f.path, o.line,
    EXISTS (SELECT 1 FROM {other}.operators AS p
            WHERE p.namespace = o.namespace AND p.base = o.base) AS has_packet
FROM temp.{one}_operators AS o
LEFT JOIN {one}.source_files AS f ON f.id = o.file_id
WHERE o.name NOT IN (SELECT name FROM {other}.operators)
ORDER BY o.id

-- name: schemas
-- Which overloads have another schema?
SELECT n.name, n.namespace, n.base, n.overload, n.origin, o.id AS old_id, n.id AS new_id,
    o.schema AS old_schema, n.schema AS new_schema,
    of.path AS old_path, o.line AS old_line, nf.path AS new_path, n.line AS new_line
FROM temp.new_operators AS n
JOIN temp.old_operators AS o ON o.name = n.name
LEFT JOIN old.source_files AS of ON of.id = o.file_id
LEFT JOIN new.source_files AS nf ON nf.id = n.file_id
WHERE o.schema IS NOT n.schema
ORDER BY n.id

-- name: arguments
-- What are an overload's arguments?
SELECT name, type, default_value, alias_annotation, kwarg_only, is_out
FROM {db}.arguments WHERE operator_id = :id ORDER BY position

-- name: returns
-- What does it return?
SELECT name, type, alias_annotation FROM {db}.returns WHERE operator_id = :id ORDER BY position

-- name: only_keys
-- For which keys does an overload of both indexes have an entry in one alone?
SELECT n.name, n.namespace, n.base, n.overload, n.origin, d.dispatch_key AS key, f.path, n.line
FROM temp.{one}_dispatch AS d
JOIN temp.{one}_operators AS n ON n.id = d.operator_id
JOIN temp.{other}_operators AS o ON o.name = n.name
LEFT JOIN {one}.source_files AS f ON f.id = n.file_id
WHERE NOT EXISTS (
    SELECT 1 FROM {other}.dispatch AS e
    WHERE e.operator_id = o.id AND e.dispatch_key = d.dispatch_key)
GROUP BY n.id, d.dispatch_key
ORDER BY n.id, d.dispatch_key

-- name: kernels
-- Which kernels serve the entries that both indexes have, and where do they stand?
SELECT operator, key, kernel, min(file) AS file, min(line) AS line
FROM temp.{one}_kernels
GROUP BY operator, key, kernel

-- name: derivatives
-- Which formulas are there?
SELECT d.operator, d.dispatch_key AS key, d.inputs, d.formula, f.path, d.line,
    d.operator IN (SELECT name FROM {other}.operators) AS is_common
FROM {one}.derivatives AS d
JOIN {one}.source_files AS f ON f.id = d.file_id
ORDER BY d.id

-- name: compile
-- What does torch.compile have for an operator in some of its stages?
SELECT operator, role, min(registered_file) AS file, min(registered_line) AS line
FROM temp.{one}_compile
WHERE role IN (SELECT value FROM json_each(:roles))
GROUP BY operator, role
ORDER BY operator, role

-- name: functions_of_role
-- Which functions are registered for a stage of an operator?
SELECT operator, function FROM temp.{one}_compile
WHERE role = :role AND function IS NOT NULL GROUP BY operator, function ORDER BY operator, function

-- name: apis
-- Which public Python names are there, what are their signatures and what do they end at? Functions that are registered
-- for other types of the first argument (functools.singledispatch) have signatures of their own.
SELECT a.api, p.signature, f.path, min(coalesce(p.line, a.line)) AS line,
    CASE WHEN p.decorators LIKE '%singledispatch%' THEN (
        SELECT json_group_array(r.signature) FROM {one}.python_functions AS r
        WHERE r.module_id = p.module_id AND substr(r.decorators, 1, length(p.name) + 9) = p.name || '.register') END AS registered,
    (SELECT group_concat(x.base, ', ') FROM (
        SELECT DISTINCT o.namespace || '::' || o.base AS base
        FROM {one}.python_apis AS b JOIN temp.{one}_operators AS o ON o.id = b.operator_id
        WHERE b.api = a.api ORDER BY 1) AS x) AS operators
FROM temp.{one}_apis AS a
LEFT JOIN {one}.python_functions AS p ON p.id = a.function_id
LEFT JOIN {one}.python_modules AS m ON m.id = p.module_id
LEFT JOIN {one}.source_files AS f ON f.id = coalesce(m.file_id, a.file_id)
GROUP BY a.api
ORDER BY a.api

-- name: defined
-- Is there a function or class of Python in a module? Of one index that is asked alone.
SELECT 'function' AS kind, p.signature, f.path, p.line, p.kind = 'overload' AS is_last,
    EXISTS (SELECT 1 FROM python_calls AS c WHERE c.caller_id = p.id) AS has_calls
FROM python_modules AS m
CROSS JOIN python_functions AS p ON p.name = :last AND p.module_id = m.id
JOIN source_files AS f ON f.id = m.file_id
WHERE m.name = :module
UNION ALL
SELECT 'class', NULL, f.path, c.line, 0, 1
FROM python_classes AS c
JOIN python_modules AS m ON m.id = c.module_id
JOIN source_files AS f ON f.id = m.file_id
WHERE c.name = :name
ORDER BY is_last, line DESC LIMIT 1

-- name: classes
-- Which modules, optimizers and schedulers are there under public names?
SELECT c.name, c.public_name, c.category, f.path, c.line
FROM {one}.python_classes AS c
JOIN temp.{one}_modules AS m ON m.id = c.module_id
JOIN {one}.source_files AS f ON f.id = m.file_id
WHERE c.category IN ('nn', 'optim', 'lr_scheduler') AND c.public_name LIKE 'torch.%'
GROUP BY c.public_name
ORDER BY c.public_name

-- name: signatures
-- With which signatures are they made and called? The last definition is the one that counts.
SELECT c.public_name, substr(p.name, length(c.name) - length(m.name) + 1) AS method,
    p.signature, max(p.line) AS line
FROM {one}.python_classes AS c
JOIN temp.{one}_modules AS m ON m.id = c.module_id
JOIN {one}.python_functions AS p ON p.class_id = c.id
WHERE c.category IN ('nn', 'optim', 'lr_scheduler') AND c.public_name LIKE 'torch.%'
  AND p.kind NOT IN ('overload')
GROUP BY c.public_name, method
HAVING method IN ('__init__', 'forward', 'step')

-- name: only_tests
-- Which tests are in one index and not in the other?
SELECT t.file, coalesce(t.class, '') AS class, t.test, min(t.line) AS line,
    EXISTS (SELECT 1 FROM {other}.source_files AS f WHERE f.path = t.file) AS has_file
FROM {one}.v_tests AS t
WHERE (t.file, coalesce(t.class, ''), t.test) IN (
    SELECT file, coalesce(class, ''), test FROM {one}.v_tests
    EXCEPT
    SELECT file, coalesce(class, ''), test FROM {other}.v_tests)
GROUP BY t.file, class, t.test
ORDER BY t.file, min(t.line)
