-- name: namespaces
-- Which namespaces do operators live in? From one to the next by the index of the full names: `;` comes
-- behind `:`, so that a look for `aten:;` passes over all of aten's.
WITH RECURSIVE first (name) AS (
    SELECT min(name) FROM operators
    UNION
    SELECT (SELECT min(o.name) FROM operators AS o WHERE o.name >= substr(f.name, 1, instr(f.name, '::')) || ';')
    FROM first AS f WHERE f.name IS NOT NULL
)
SELECT substr(name, 1, instr(name, '::') - 1) AS namespace FROM first WHERE name IS NOT NULL

-- name: operator
-- The overloads of one name: of a namespace or of any, one overload or all.
SELECT name, namespace, base, overload FROM operators
WHERE base = :base
  AND (:namespace IS NULL OR namespace = :namespace)
  AND (:overload IS NULL OR overload = :overload)
ORDER BY namespace <> 'aten', namespace, id

-- name: operator_any_case
-- The same, but whatever the case.
SELECT DISTINCT namespace, base FROM operators
WHERE base = :base COLLATE NOCASE AND base <> :base
ORDER BY namespace <> 'aten', namespace, base LIMIT 20

-- name: python_any_case
-- Public names of Python that differ in case only.
SELECT public_name AS name FROM python_classes WHERE public_name = :name COLLATE NOCASE
UNION SELECT api FROM python_apis WHERE api = :name COLLATE NOCASE
ORDER BY name LIMIT 20

-- name: api
-- Which overloads does a public Python name reach directly?
SELECT DISTINCT operator AS name FROM v_python_api
WHERE api = :api AND operator IS NOT NULL ORDER BY operator

-- name: api_known
-- Is this a public Python name, even if it ends at no operator, and is it a function of Python?
SELECT function_id FROM python_apis WHERE api = :api LIMIT 1

-- name: macro
-- Where is a macro of a name defined?
SELECT f.path, m.line
FROM macro_definitions AS m JOIN source_files AS f ON f.id = m.file_id
WHERE m.name = :name ORDER BY f.path LIKE '%third_party%', length(f.path), f.path, m.line

-- name: is_overload
SELECT 1 FROM operators WHERE overload = :overload LIMIT 1

-- name: binding
-- Which overloads are bound under this module and base name by the generator's own rules?
-- python_module and variants: tools/autograd/gen_python_functions.py.
SELECT name, namespace, base, overload FROM operators
WHERE base = :base
  AND CASE :module
      WHEN 'Tensor' THEN variants LIKE '%method%'
      WHEN '' THEN variants LIKE '%function%' AND python_module IS NULL
      ELSE python_module = :module END
ORDER BY id

-- name: native_operators
-- Which operators does a name of torch._C reach, by whatever binds it?
SELECT o.name FROM python_natives AS n JOIN python_native_operators AS p ON p.native_id = n.id
JOIN operators AS o ON o.id = p.operator_id
WHERE n.name = replace(:name, 'torch._C._TensorBase.', 'torch._C.TensorBase.') AND n.how <> 'ops' ORDER BY o.id

-- name: tests_called
-- Which classes of tests, or which tests, have this very name? A gtest is mostly called like what it tests.
SELECT 'class' AS what, c.name, f.path, c.line, (SELECT count(*) FROM tests AS t WHERE t.class_id = c.id) AS tests
FROM test_classes AS c JOIN source_files AS f ON f.id = c.file_id WHERE c.name = :name AND EXISTS (SELECT 1 FROM tests AS t WHERE t.class_id = c.id)
UNION ALL
SELECT 'test', coalesce(c.name || '.', '') || t.name, f.path, t.line, 1
FROM tests AS t JOIN source_files AS f ON f.id = t.file_id LEFT JOIN test_classes AS c ON c.id = t.class_id
WHERE t.name = :name AND t.kind = 'python'
ORDER BY 1, 5 DESC, 3, 4

-- name: kinds_of_files
-- In what kinds of files do functions of a name stand?
SELECT DISTINCT f.kind FROM functions AS u JOIN source_files AS f ON f.id = u.file_id WHERE u.name = :name

-- name: bound_in
-- The first of these names that C++ gives to Python. An installed package has the names alone.
SELECT w.value AS name FROM json_each(:names) AS w
WHERE EXISTS (SELECT 1 FROM bindings AS b WHERE b.python_name = w.value)
   OR EXISTS (SELECT 1 FROM python_natives AS n WHERE n.name = w.value)
   OR EXISTS (SELECT 1 FROM python_native_bindings AS s WHERE s.owner || '.' || s.name = w.value)
ORDER BY w.key LIMIT 1

-- name: imported
-- What does a module import or assign under a name? Its own rows come before what stars may bring: of a module that says
-- in __all__ what they bring, that alone, or what another's __all__ adds to it.
-- The rows of a file are numbered from its own number on (indexer/write/ids.py).
SELECT b.kind, b.target, b.line, f.path
FROM python_modules AS m
JOIN source_files AS f ON f.id = m.file_id
CROSS JOIN python_bindings AS b ON b.module_id = m.id AND b.id >= m.file_id * 16
    AND b.id < coalesce((SELECT min(n.id) FROM source_files AS n WHERE n.id > m.file_id) * 16, 1 << 40)
WHERE m.name = :module AND b.scope = ''
  AND (b.name = :name AND b.kind IN ('from', 'import', 'alias', 'call') OR b.kind = 'star' AND NOT EXISTS (
      SELECT 1 FROM python_modules AS s JOIN python_exports AS e ON e.module_id = s.id
      WHERE s.name = b.target GROUP BY s.id HAVING NOT max(e.name IN (:name, '*') OR e.name LIKE '%.*')))
ORDER BY b.kind = 'star', b.guarded, b.line DESC LIMIT 12

-- name: assigned
-- What is called to make what a module gives a name to? A class that it becomes an object of (`__class__`, see
-- indexer/extract/python/definitions.py) may be named without a call. Both kinds stand here for the partial index.
SELECT b.target, f.path, b.line
FROM python_bindings AS b JOIN python_modules AS m ON m.id = b.module_id JOIN source_files AS f ON f.id = m.file_id
WHERE b.name = :name AND b.scope = '' AND b.kind IN ('alias', 'call')
  AND (b.kind = 'call' OR b.name = '__class__') AND m.name = :module
ORDER BY b.guarded, b.line DESC LIMIT 1

-- name: module
-- Is there a module of Python of this name?
SELECT name FROM python_modules WHERE name = :name LIMIT 1

-- name: module_ending
-- Which public modules of torch are called so, or which package beside it: functorch?
SELECT name FROM python_modules
WHERE name > 'torch.' AND name < 'torch/' AND substr(name, -length(:last) - 1) = '.' || :last AND instr(name, '._') = 0
   OR name = :last AND is_package
ORDER BY length(name), name LIMIT 12

-- name: module_file
-- Where does a module of Python stand?
SELECT f.path FROM python_modules AS m JOIN source_files AS f ON f.id = m.file_id
WHERE m.name = :name ORDER BY m.is_package DESC LIMIT 1

-- name: classes_of
-- Which of these dotted names are classes of Python?
SELECT 1 FROM python_classes WHERE name IN (SELECT value FROM json_each(:names))
UNION ALL SELECT 1 FROM python_classes WHERE public_name IN (SELECT value FROM json_each(:names)) LIMIT 1

-- name: python_function
-- A function of Python by its full name; these are the names of the modules it could be in.
SELECT m.name || '.' || p.name AS name
FROM json_each(:modules) AS w
CROSS JOIN python_modules AS m ON m.name = w.value
CROSS JOIN python_functions AS p ON p.name = substr(:name, length(m.name) + 2) AND p.module_id = m.id
ORDER BY p.kind = 'overload', p.line LIMIT 1

-- name: api_ending
-- Public names that end in this one, those that users know best first.
SELECT n.name FROM names AS n
WHERE n.last = :last COLLATE NOCASE AND n.last = :last AND n.kind = 'api'
  AND substr(n.name, -length(:name) - 1) = '.' || :name
  AND n.name NOT GLOB 'torch.ops.*' AND n.name NOT GLOB 'torch._*'
ORDER BY (SELECT min(a.id) FROM python_apis AS a WHERE a.api = n.name) LIMIT 30

-- name: class_ending
-- Public classes whose names end in this one.
SELECT DISTINCT public_name AS name FROM python_classes
WHERE last = :last COLLATE NOCASE AND last = :last AND category <> 'test' AND public_name IS NOT NULL
  AND substr('.' || public_name, -length(:name) - 1) = '.' || :name
ORDER BY length(public_name), public_name LIMIT 30

-- name: python_function_ending
-- Functions of the modules of PyTorch's packages and tools whose names end in this one.
SELECT m.name || '.' || p.name AS name
FROM python_functions AS p JOIN python_modules AS m ON m.id = p.module_id
WHERE p.name = :last AND p.kind <> 'overload'
  AND substr(m.name || '.' || p.name, -length(:name) - 1) = '.' || :name
  AND (m.name GLOB 'torch.*' OR m.name GLOB 'functorch.*' OR m.name GLOB 'torchgen.*' OR m.name GLOB 'tools.*')
ORDER BY m.name NOT GLOB 'torch.*', m.name LIMIT 50

-- name: operator_object
-- Variables that hold operators, and end in this name: higher-order ones (cond_op), and what a call that defines one
-- gives (`abs = _make_elementwise_unary_prim("abs", …)`).
SELECT DISTINCT kernel AS name, operator FROM registrations
WHERE kind = 'def' AND via = 'HigherOrderOperator'
  AND substr('.' || kernel, -length(:name) - 1) = '.' || :name
UNION
SELECT m.name || '.' || b.name, r.operator
FROM python_bindings AS b
JOIN python_modules AS m ON m.id = b.module_id
CROSS JOIN registrations AS r ON r.file_id = m.file_id AND r.line = b.line
WHERE b.name = replace(:name, rtrim(:name, replace(:name, '.', '')), '') AND b.scope = '' AND b.kind IN ('alias', 'call')
  AND b.kind = 'call' AND r.kind = 'def' AND r.origin = 'python'
  AND substr('.' || m.name || '.' || b.name, -length(:name) - 1) = '.' || :name
ORDER BY 1 LIMIT 30

-- name: module_method_ending
-- Methods of this name of modules, optimizers and schedulers, by the index of their names.
SELECT m.name || '.' || p.name AS name
FROM python_classes AS k
JOIN python_modules AS m ON m.id = k.module_id
CROSS JOIN python_functions AS p ON p.name = substr(k.name, length(m.name) + 2) || '.' || :name AND p.module_id = m.id
WHERE k.category IN ('nn', 'optim', 'lr_scheduler') AND p.kind <> 'overload'
  AND (m.name GLOB 'torch.*' OR m.name GLOB 'functorch.*')
ORDER BY k.public_name IS NULL, m.name, p.line LIMIT 50

-- name: python_method_ending
-- Methods of the packages' classes whose names end in this one. The index of the names is read through, which is a
-- third of the time that the table takes: apart, or SQLite asks module by module, for twice of it.
WITH alike (id) AS MATERIALIZED (
    SELECT id FROM python_functions WHERE name GLOB '*.' || :name
)
SELECT m.name || '.' || p.name AS name
FROM alike CROSS JOIN python_functions AS p ON p.id = alike.id
CROSS JOIN python_modules AS m ON m.id = p.module_id
WHERE p.class_id IS NOT NULL AND p.kind <> 'overload'
  AND (m.name GLOB 'torch.*' OR m.name GLOB 'functorch.*' OR m.name GLOB 'torchgen.*' OR m.name GLOB 'tools.*')
ORDER BY m.name, p.line LIMIT 50

-- name: python_in_any_module
-- Functions and methods of this name within their module, wherever that is: those of tests, too.
SELECT m.name || '.' || p.name AS name
FROM python_functions AS p JOIN python_modules AS m ON m.id = p.module_id
WHERE p.name = :name AND p.kind <> 'overload' ORDER BY m.name LIMIT 50

-- name: class_defined
-- Classes of Python by the end of the names that they are defined with, `conv.Conv2d`, the public ones first.
SELECT coalesce(public_name, name) AS name, public_name IS NOT NULL AS is_public FROM python_classes
WHERE substr(name, -length(:ending)) = :ending AND substr(name, -length(:ending) - 1, 1) = '.'
ORDER BY public_name IS NULL, length(name), name LIMIT 20

-- name: class
-- A class of Python by its public or its full name, or by one that another package shows it by.
SELECT coalesce(public_name, name) AS name, 0 AS is_alias FROM python_classes WHERE name = :name OR public_name = :name
UNION ALL
SELECT coalesce(c.public_name, c.name), 1
FROM python_aliases AS a JOIN python_classes AS c ON c.id = a.class_id WHERE a.name = :name
ORDER BY is_alias LIMIT 1

-- name: class_called
-- Which classes are called so, besides those of tests and what these define for themselves?
SELECT coalesce(c.public_name, c.name) AS name FROM python_classes AS c
WHERE c.last = :last COLLATE NOCASE AND c.last = :last AND c.category <> 'test' AND c.name NOT GLOB 'test.*'
  AND NOT EXISTS (SELECT 1 FROM test_classes AS t WHERE t.class_id = c.id)
ORDER BY length(c.name), c.name LIMIT 50

-- name: class_id
-- The same class's row.
SELECT id FROM python_classes WHERE name = :name OR public_name = :name
UNION ALL
SELECT class_id FROM python_aliases WHERE name = :name AND class_id IS NOT NULL
LIMIT 1

-- name: kernel
-- Which operators have this kernel, by its qualified name?
SELECT DISTINCT o.name, d.kernel FROM dispatch AS d
JOIN operators AS o ON o.id = d.operator_id
WHERE d.kernel = :kernel ORDER BY o.id

-- name: ending
-- Which names of a kind are this one, or end in it?
SELECT name FROM names
WHERE last = :last COLLATE NOCASE AND kind = :kind
  AND (name = :name OR substr(name, -length(:name) - 2) = '::' || :name)
-- Their own spelling first: last is compared in any case.
ORDER BY name LIMIT 1000

-- name: ending_function
-- The same of C++ functions, which are not among the names.
SELECT DISTINCT name FROM functions
WHERE last = :last COLLATE NOCASE
  AND (name = :name OR substr(name, -length(:name) - 2) = '::' || :name)
ORDER BY name LIMIT 1000

-- name: defined
-- Where does what has a full name in C++ stand, and how is it declared?
SELECT f.path, u.is_anonymous, u.signature
FROM functions AS u JOIN source_files AS f ON f.id = u.file_id WHERE u.name = :name AND u.kind <> 'stub'
UNION ALL
SELECT f.path, 0, '' FROM cpp_classes AS c JOIN source_files AS f ON f.id = c.file_id WHERE c.name = :name

-- name: functions_beside
-- Functions of the tree that are called so, and are no operator's kernel and no method.
SELECT DISTINCT u.name, f.path
FROM functions AS u JOIN source_files AS f ON f.id = u.file_id
WHERE u.last = :last COLLATE NOCASE AND u.last = :last AND u.kind = 'function' AND NOT u.is_anonymous
  AND f.kind NOT IN ('generated', 'external')
  AND NOT EXISTS (SELECT 1 FROM dispatch AS d WHERE d.kernel = u.name)
ORDER BY u.name

-- name: cpp_class
-- Which C++ classes are called so? By their full name.
SELECT DISTINCT name FROM cpp_classes WHERE name = :name

-- name: cpp_class_ending
-- The same by the end of their names; there are some thousands.
SELECT DISTINCT name FROM cpp_classes
WHERE name = :name OR substr(name, -length(:name) - 2) = '::' || :name
ORDER BY name LIMIT 50

-- name: gpu_library
-- What the tree has from a library and launches GPU kernels by, under its full name, which nothing of the tree has.
SELECT DISTINCT ltrim(kernel, ':') AS name FROM launches
WHERE kernel IN (:name, '::' || :name) AND kind = 'library' AND callee_id IS NULL
  AND NOT EXISTS (SELECT 1 FROM functions WHERE name = :name)

-- name: gpu_library_ending
-- The same under the end of its name.
SELECT DISTINCT ltrim(kernel, ':') AS name FROM launches
WHERE kind = 'library' AND callee_id IS NULL AND substr(kernel, -length(:name) - 2) = '::' || :name
ORDER BY 1

-- name: gpu_kernel
-- GPU kernels that are no C++ functions: Metal's, and those in strings.
SELECT DISTINCT name FROM kernels WHERE name = :name OR function = :name ORDER BY name LIMIT 50

-- name: method
-- What is a method of a class, by the names that users give to both: on the class and on all its bases.
WITH RECURSIVE owners (id, name, rank) AS (
    SELECT id, coalesce(public_name, name), 0 FROM python_classes WHERE public_name = :owner
    UNION ALL
    SELECT id, coalesce(public_name, name), 0 FROM python_classes WHERE name = :owner
    UNION ALL
    SELECT c.id, coalesce(c.public_name, c.name), 0 FROM python_aliases AS a
    JOIN python_classes AS c ON c.id = a.class_id WHERE a.name = :owner
    UNION ALL
    SELECT id, public_name, CASE WHEN public_name IN ('torch.nn.' || :owner, 'torch.optim.' || :owner) THEN 1 ELSE 2 END
    FROM python_classes
    WHERE :owner = :last AND last = :last COLLATE NOCASE AND last = :last AND category <> 'test' AND public_name IS NOT NULL
),
owner (id, name) AS (
    SELECT id, name FROM owners ORDER BY rank, length(name), name, id LIMIT 1
),
bases (class_id) AS (
    SELECT id FROM owner
    UNION
    SELECT b.base_id FROM bases AS s CROSS JOIN python_bases AS b ON b.class_id = s.class_id
    -- Without the hint, here and below, SQLite builds Bloom filters over whole tables for a handful of classes.
    WHERE likelihood(+s.class_id > 0, 0.00001) AND b.base_id IS NOT NULL
)
SELECT p.id, m.name || '.' || p.name AS name, (SELECT id FROM owner) AS owner_id, (SELECT name FROM owner) AS owner,
       x.class_id
FROM (
    SELECT p.id, s.class_id
    FROM bases AS s
    CROSS JOIN python_classes AS c ON c.id = s.class_id
    CROSS JOIN python_functions AS p ON p.class_id = c.id
    CROSS JOIN python_modules AS m ON m.id = p.module_id
    WHERE likelihood(+s.class_id > 0, 0.00001) AND substr(p.name, -length(:member) - 1) = '.' || :member
      AND p.name = substr(c.name, length(m.name) + 2) || '.' || :member
    UNION ALL
    -- What the class's body assigns: `__call__ = _wrapped_call_impl`.
    SELECT a.function_id, s.class_id
    FROM bases AS s
    CROSS JOIN python_classes AS c ON c.id = s.class_id
    CROSS JOIN python_aliases AS a ON a.name = c.name || '.' || :member AND a.function_id IS NOT NULL
    WHERE likelihood(+s.class_id > 0, 0.00001)
) AS x
CROSS JOIN python_functions AS p ON p.id = x.id
CROSS JOIN python_modules AS m ON m.id = p.module_id
ORDER BY p.kind = 'overload', p.guarded, p.line

-- name: ancestors
-- What does a class derive from, step by step? Its own bases and theirs in the order of their statements.
WITH RECURSIVE above (derived_id, id, name, distance, position) AS (
    SELECT NULL, id, name, 0, 0 FROM python_classes WHERE id = :id
    UNION
    SELECT b.class_id, b.base_id, b.name, a.distance + 1, b.position
    FROM above AS a JOIN python_bases AS b ON b.class_id = a.id
    WHERE a.distance < 30
)
SELECT derived_id, id, name, distance FROM above ORDER BY distance, derived_id, position

-- name: usings
-- What some scopes use of others; they have no index: one pass for all of them.
SELECT u.scope, u.text, f.path, u.line
FROM cpp_usings AS u CROSS JOIN source_files AS f ON f.id = u.file_id
WHERE u.keyword = 'using' AND u.scope IN (SELECT value FROM json_each(:scopes))
ORDER BY f.path, u.line

-- name: namespace_aliases
SELECT u.scope, u.text, f.path, u.line
FROM cpp_usings AS u CROSS JOIN source_files AS f ON f.id = u.file_id
WHERE u.keyword = 'namespace'
ORDER BY f.path, u.line

-- name: differentiated
-- The entries of derivatives.yaml with a formula for an argument, key by key, as they stand there.
-- `result` is of forward mode (tools/autograd/load_derivatives.py, is_forward_derivative_definition).
SELECT d.operator, d.dispatch_key, f.path, min(d.line) AS line
FROM derivatives AS d JOIN source_files AS f ON f.id = d.file_id
WHERE d.formula <> 'non_differentiable' AND d.inputs NOT GLOB 'result*'
GROUP BY d.operator, d.dispatch_key ORDER BY min(d.line), min(d.id)

-- name: has_operator
-- Is there an overload of this name?
SELECT 1 FROM operators WHERE name = :name

-- name: bound_to
-- What some C++ functions are bound to.
SELECT python_name AS name FROM bindings
WHERE function_id IN (SELECT value FROM json_each(:functions)) AND python_name IS NOT NULL ORDER BY id

-- name: local_classes
-- Which classes stand within functions? indexer/extract/python/local_classes.py writes them down so.
SELECT file, detail FROM coverage
WHERE layer = 'python' AND status = 'partial' AND detail GLOB '*, a class within a function, *'
ORDER BY file, id
