-- name: native_named
-- What is bound in C++ under this name?
SELECT id, name FROM python_natives WHERE name = :name

-- name: is_bound_class
-- Is this name of Python's that of a class of C++?
SELECT 1 FROM bindings WHERE python_name = :name AND form IN ('class', 'type') LIMIT 1

-- name: native_callers
-- Which Python functions, tests left out, use a name that is bound in C++? Of those that only name it: how many do they?
SELECT c.caller_id AS id, m.name || '.' || p.name AS name,
       CASE WHEN min(c.kind IN (1, 4)) THEN (SELECT count(DISTINCT x.target_id) FROM python_calls AS x
            WHERE x.caller_id = c.caller_id AND x.kind IN (1, 4)) END AS named
FROM python_resolutions AS r
CROSS JOIN python_calls AS c ON c.target_id = r.target_id
CROSS JOIN python_functions AS p ON p.id = c.caller_id
JOIN python_modules AS m ON m.id = p.module_id
WHERE r.native_id = :id AND p.kind <> 'module' AND NOT EXISTS (SELECT 1 FROM tests AS t WHERE t.function_id = p.id)
GROUP BY c.caller_id ORDER BY c.caller_id

-- name: native_tests
-- Which tests use a name that is bound in C++?
SELECT t.id, t.operators, count(*) AS uses FROM python_resolutions AS r
CROSS JOIN python_calls AS c ON c.target_id = r.target_id
CROSS JOIN tests AS t ON t.function_id = c.caller_id
WHERE r.native_id = :id GROUP BY t.id ORDER BY t.id

-- name: python_differentiated
-- The `forward` of whose class is this function the gradient?
SELECT p.id, m.name || '.' || p.name AS name FROM edges AS e
JOIN edge_kinds AS k ON k.id = e.kind_id
JOIN python_functions AS p ON p.id = e.source >> 4
JOIN python_modules AS m ON m.id = p.module_id
WHERE e.target = :id * 16 + 4 AND k.kind = 'derivative' ORDER BY p.id

-- name: overridden
-- Whose callers may run this method, which overrides it in a class derived from its own?
SELECT p.id, m.name || '.' || p.name AS name FROM edges AS e
JOIN edge_kinds AS k ON k.id = e.kind_id
JOIN python_functions AS p ON p.id = e.source >> 4
JOIN python_modules AS m ON m.id = p.module_id
WHERE e.target = :id * 16 + 4 AND e.source & 15 = 4 AND k.kind = 'virtual' ORDER BY p.id

-- name: python_compiled
-- Which operators has torch.compile this function for, and as what?
SELECT DISTINCT o.name, k.kind FROM edges AS e
JOIN edge_kinds AS k ON k.id = e.kind_id
JOIN operators AS o ON o.id = e.source >> 4
WHERE e.target = :id * 16 + 4 AND e.source & 15 = 1
  AND k.kind IN ('decomposition', 'meta', 'fake', 'ref', 'prim', 'lowering') ORDER BY o.id

-- name: python_kernels
-- Of which operators is this function a kernel, and for which keys? What torch.compile has it for leads to them as that.
SELECT DISTINCT o.id, o.name, d.dispatch_key, 0 AS is_called FROM edges AS e
JOIN edge_kinds AS k ON k.id = e.kind_id
JOIN operators AS o ON o.id = e.source >> 4
JOIN dispatch AS d ON d.operator_id = o.id AND d.kernel = :name
WHERE e.target = :id * 16 + 4 AND e.source & 15 = 1 AND k.kind = 'dispatch' AND d.dispatch_key <> 'Meta'
  AND NOT EXISTS (
      SELECT 1 FROM edges AS c JOIN edge_kinds AS of ON of.id = c.kind_id
      WHERE c.target = e.target AND c.source = e.source AND of.kind IN ('decomposition', 'ref', 'prim', 'lowering'))
ORDER BY o.id, d.dispatch_key

-- name: python_callers
-- Which Python functions, tests left out, call this one, or one of how many? A table's (kind 5) and a visitor's methods
-- (`visit_~`) are run all, each in its turn. Or does it only stand over them (6)? Nobody uses a module's own code. Of
-- those that only name it: how many do they?
SELECT c.caller_id AS id, m.name || '.' || p.name AS name, min(CASE c.kind WHEN 5 THEN 1 ELSE r.among END) AS among,
       min(c.kind = 6) AS is_decorated, min(c.kind = 5) AS is_looked_up,
       CASE WHEN min(c.kind IN (1, 4)) THEN (SELECT count(DISTINCT x.target_id) FROM python_calls AS x
            WHERE x.caller_id = c.caller_id AND x.kind IN (1, 4)) END AS named
FROM (SELECT x.target_id, CASE WHEN t.target GLOB '*~*' THEN 1
             ELSE (SELECT count(*) FROM python_resolutions AS o WHERE o.target_id = x.target_id) END AS among
      FROM python_resolutions AS x JOIN python_targets AS t ON t.id = x.target_id WHERE x.function_id = :id) AS r
CROSS JOIN python_calls AS c ON c.target_id = r.target_id
CROSS JOIN python_functions AS p ON p.id = c.caller_id
JOIN python_modules AS m ON m.id = p.module_id
WHERE p.id <> :id AND p.kind <> 'module' AND NOT EXISTS (SELECT 1 FROM tests AS t WHERE t.function_id = p.id)
GROUP BY c.caller_id ORDER BY c.caller_id

-- name: python_tests
-- Which tests call this Python function?
SELECT t.id, t.operators, count(*) AS uses FROM python_resolutions AS r
CROSS JOIN python_calls AS c ON c.target_id = r.target_id
CROSS JOIN tests AS t ON t.function_id = c.caller_id
WHERE r.function_id = :id GROUP BY t.id ORDER BY t.id

-- name: tests_of_functions
-- Which tests are some functions of Python?
SELECT t.id FROM json_each(:functions) AS w CROSS JOIN tests AS t ON t.function_id = w.value

-- name: bodies_naming
-- Which tests, and which other functions of their files, have a name in their bodies?
SELECT b.rowid AS function_id, m.name || '.' || p.name AS name, t.id AS test_id, t.operators
FROM tests_bodies AS b
CROSS JOIN python_functions AS p ON p.id = b.rowid
CROSS JOIN python_modules AS m ON m.id = p.module_id
LEFT JOIN tests AS t ON t.function_id = p.id
WHERE tests_bodies MATCH :name
ORDER BY b.rowid, t.id LIMIT :most

-- name: bodies_reading
-- Which tests, and which functions that they are made of, have a name in their bodies?
SELECT p.name, t.name AS test, f.path FROM tests_bodies AS b
CROSS JOIN python_functions AS p ON p.id = b.rowid
CROSS JOIN python_modules AS m ON m.id = p.module_id
CROSS JOIN source_files AS f ON f.id = m.file_id
LEFT JOIN tests AS t ON t.function_id = p.id
WHERE tests_bodies MATCH :name
ORDER BY b.rowid, t.id LIMIT :most

-- name: tests_choosing
-- Which tests run over lists whose entries are chosen by something?
SELECT t.name AS test, f.path, coalesce(l.expression, p.condition) AS condition FROM opinfo_lists AS l
LEFT JOIN opinfo_list_parts AS p ON p.list = l.name
JOIN test_lists AS x ON x.list_id = l.id
JOIN tests AS t ON t.id = x.test_id
JOIN source_files AS f ON f.id = t.file_id
WHERE instr(coalesce(l.expression, p.condition), :name) ORDER BY t.id

-- name: functions_called
-- In how many places is a method, or what C++ binds, called so, and where those are meant a function of a module outside
-- of tests? Overloads of one count once.
SELECT (SELECT count(DISTINCT module_id || ' ' || name) FROM python_functions
        WHERE name IN (SELECT value FROM json_each(:methods)))
    + (SELECT count(DISTINCT python_name) FROM bindings WHERE python_name GLOB :ending)
    + (SELECT count(DISTINCT p.module_id) FROM python_functions AS p JOIN python_modules AS m ON m.id = p.module_id
       WHERE p.name = :function AND m.name NOT GLOB 'test.*') AS functions

-- name: bodies_meaning
-- What is known to be called in some bodies whose target ends so?
SELECT c.caller_id AS body, t.target, r.function_id, n.name AS native, p.class_id, m.name AS module,
       u.function_id IS NOT NULL AS is_unfollowed
FROM json_each(:bodies) AS b
CROSS JOIN python_calls AS c ON c.caller_id = b.value
CROSS JOIN python_targets AS t ON t.id = c.target_id
CROSS JOIN python_resolutions AS r ON r.target_id = t.id
LEFT JOIN python_functions AS p ON p.id = r.function_id
LEFT JOIN python_modules AS m ON m.id = p.module_id
LEFT JOIN python_natives AS n ON n.id = r.native_id
LEFT JOIN python_unfollowed AS u ON u.function_id = r.function_id
WHERE substr(t.target, -length(:name)) = :name COLLATE NOCASE

-- name: bodies_of_operator
-- Which bodies of tests call an operator of this name, or may as a method of a tensor?
SELECT t.function_id AS body FROM test_operators AS x JOIN tests AS t ON t.id = x.test_id
WHERE x.base = :name AND (x.how GLOB '*c*' OR x.how GLOB '*m*')
  AND t.function_id IN (SELECT value FROM json_each(:bodies))

-- name: same_method
-- Which methods of this name override one of these, or are overridden by it, by any number of classes between?
WITH RECURSIVE above (id) AS (
    SELECT class_id FROM python_functions WHERE id IN (SELECT value FROM json_each(:functions)) AND class_id IS NOT NULL
    UNION SELECT b.base_id FROM above AS c JOIN python_bases AS b ON b.class_id = c.id AND b.base_id <> c.id
),
below (id) AS (
    SELECT class_id FROM python_functions WHERE id IN (SELECT value FROM json_each(:functions)) AND class_id IS NOT NULL
    UNION SELECT b.class_id FROM below AS c JOIN python_bases AS b ON b.base_id = c.id
)
SELECT value AS id FROM json_each(:functions)
UNION
SELECT id FROM (SELECT p.id, p.name FROM (SELECT id FROM above UNION SELECT id FROM below) AS c
                CROSS JOIN python_functions AS p ON p.class_id = c.id LIMIT -1) -- else all functions are filtered first
WHERE substr(name, -length('.' || :name)) = '.' || :name

-- name: places_of_functions
-- In which modules do these functions of Python stand, and which are methods?
SELECT p.id, p.class_id, m.name AS module FROM json_each(:functions) AS i
JOIN python_functions AS p ON p.id = i.value JOIN python_modules AS m ON m.id = p.module_id

-- name: python_own
-- The class of a Python function, its own name, its decorators, and whether it is a test.
SELECT p.class_id, c.name AS class_name, p.name, p.module_id, p.decorators, t.id AS test_id, t.operators, f.path
FROM python_functions AS p
JOIN python_modules AS m ON m.id = p.module_id
JOIN source_files AS f ON f.id = m.file_id
LEFT JOIN python_classes AS c ON c.id = p.class_id
LEFT JOIN tests AS t ON t.function_id = p.id
WHERE p.id = :id

-- name: tests_called
-- Which tests have one of these names?
SELECT t.id, f.path, t.words FROM tests AS t JOIN source_files AS f ON f.id = t.file_id
WHERE t.name IN (SELECT value FROM json_each(:names)) ORDER BY t.id

-- name: higher_order
-- What is run where the higher-order operator is called that a module has by this variable, or that is called so? See
-- imported in torchtalk/names/names.sql of the range of the ids.
SELECT q.id, h.class_name || '.__call__' AS name FROM higher_order_operators AS h
JOIN python_classes AS c ON c.name = h.class_name
JOIN python_functions AS q ON q.class_id = c.id AND q.name = c.last || '.__call__'
WHERE q.id <> :id AND h.class_name <> '' AND (h.name = :name OR h.variable IN (
    SELECT m.name || '.' || :variable FROM python_modules AS m WHERE m.id = :module AND :variable <> ''
    UNION SELECT replace(b.target, ':', '.') FROM python_modules AS m
    CROSS JOIN python_bindings AS b ON b.module_id = m.id AND b.id >= m.file_id * 16
        AND b.id < coalesce((SELECT min(n.id) FROM source_files AS n WHERE n.id > m.file_id) * 16, 1 << 40)
    WHERE m.id = :module AND b.name = :variable AND b.kind = 'from'))
ORDER BY q.id

-- name: heirs
-- Which classes derive from this one and have no such method of their own?
SELECT DISTINCT c.id, c.name FROM python_bases AS b JOIN python_classes AS c ON c.id = b.class_id
WHERE b.base_id = :id AND NOT EXISTS (
    SELECT 1 FROM python_functions AS p
    WHERE p.class_id = c.id AND substr(p.name, -length(:method)) = :method)
ORDER BY c.id

-- name: python_entries
-- Which OpInfos are named after a public name of this Python function, or take samples from it?
SELECT DISTINCT o.id, o.name, o.variant FROM python_apis AS a
JOIN opinfos AS o ON o.kind = 'op' AND o.name = substr(a.api, 7)
WHERE a.function_id = :id AND a.api GLOB 'torch.*'
UNION
SELECT o.id, o.name, o.variant FROM opinfos AS o WHERE o.sample_inputs = :name
-- Python references have no public name: _refs.softmax is torch._refs.softmax.
UNION
SELECT o.id, o.name, o.variant FROM opinfos AS o
WHERE o.kind = 'op' AND :name GLOB 'torch.*' AND o.name = substr(:name, 7)
-- Those of higher-order operators have their names: what is called of them is the class's.
UNION
SELECT o.id, o.name, o.variant FROM higher_order_operators AS h
JOIN opinfos AS o ON o.kind = 'op' AND o.name = h.name
WHERE h.class_name <> '' AND :name = h.class_name || '.__call__'
ORDER BY 1

-- name: entries_made
-- What are OpInfos and their like given for their fields, and where?
SELECT o.id, o.name, o.variant, o.class_name, o.ref_id, o.fields, m.name AS module FROM opinfos AS o
JOIN python_modules AS m ON m.file_id = o.file_id WHERE o.name IS NOT NULL ORDER BY o.id

-- name: entries_with
-- Is anything in what OpInfos, their like and their classes are given?
SELECT EXISTS (SELECT 1 FROM opinfos WHERE instr(fields, :name))
    OR EXISTS (SELECT 1 FROM opinfo_classes WHERE instr(fields, :name))

-- name: entry_classes
-- What have their classes for the fields that they are not given?
SELECT m.name AS module, c.name, c.fields FROM opinfo_classes AS c
JOIN python_modules AS m ON m.file_id = c.file_id ORDER BY c.name

-- name: entry_bases
-- Which of these classes derive from which?
SELECT c.name, b.name AS base FROM python_bases AS b JOIN python_classes AS c ON c.id = b.class_id
WHERE c.name GLOB '*Info' AND b.name IS NOT NULL ORDER BY c.id, b.position

-- name: native_entries
-- Which OpInfos have this name, without its owner, of what C++ binds? It may be no operator, as `__getitem__`.
SELECT id, name, variant FROM opinfos WHERE kind = 'op' AND name = :name ORDER BY id

-- name: class_tests
-- Which tests use this Python class, or call a class method of it, which has the class in hand as its `cls`?
WITH uses AS (
    SELECT target_id FROM python_resolutions WHERE class_id = :id
    UNION SELECT r.target_id FROM python_functions AS f
    CROSS JOIN python_resolutions AS r ON r.function_id = f.id
    WHERE f.class_id = :id AND f.kind = 'classmethod'
)
SELECT t.id, t.operators, count(*) AS uses FROM uses AS r
CROSS JOIN python_calls AS c ON c.target_id = r.target_id
CROSS JOIN tests AS t ON t.function_id = c.caller_id
GROUP BY t.id ORDER BY t.id

-- name: class_callers
-- Which Python functions, tests left out, use this class, or call a class method of it?
WITH uses AS (
    SELECT target_id FROM python_resolutions WHERE class_id = :id
    UNION SELECT r.target_id FROM python_functions AS f
    CROSS JOIN python_resolutions AS r ON r.function_id = f.id
    WHERE f.class_id = :id AND f.kind = 'classmethod'
)
SELECT DISTINCT c.caller_id AS id, m.name || '.' || p.name AS name
FROM uses AS r
CROSS JOIN python_calls AS c ON c.target_id = r.target_id
CROSS JOIN python_functions AS p ON p.id = c.caller_id
JOIN python_modules AS m ON m.id = p.module_id
WHERE p.class_id IS NOT :id AND p.kind <> 'module'
  AND NOT EXISTS (SELECT 1 FROM tests AS t WHERE t.function_id = p.id)
ORDER BY c.caller_id

-- name: subclasses
-- Which classes derive from this one?
SELECT DISTINCT c.id, c.name FROM python_bases AS b
JOIN python_classes AS c ON c.id = b.class_id WHERE b.base_id = :id ORDER BY c.id

-- name: class_entries
-- Which ModuleInfos or OptimizerInfos are for this class?
SELECT o.id, o.name, o.variant FROM python_classes AS c
JOIN opinfos AS o ON o.kind IN ('module', 'optimizer')
    AND (o.subject = c.public_name OR o.subject = c.name
         OR (o.kind = 'module' AND 'torch.' || o.name = c.public_name))
WHERE c.id = :id ORDER BY o.id

-- name: entries_of_class
-- Which OpInfos and their like are made of this class, or of one that derives from it without such a method of its own?
WITH RECURSIVE below(id) AS (
    SELECT :id
    UNION SELECT b.class_id FROM below AS x JOIN python_bases AS b ON b.base_id = x.id
    WHERE :method = '' OR NOT EXISTS (
        SELECT 1 FROM python_functions AS p
        WHERE p.class_id = b.class_id AND substr(p.name, -length(:method)) = :method)
)
SELECT o.id, o.name, o.variant FROM below AS x JOIN python_classes AS c ON c.id = x.id
JOIN opinfos AS o ON o.class_name = c.name WHERE o.name IS NOT NULL ORDER BY o.id

-- name: class_own_tests
-- The tests of a class that holds tests.
SELECT t.id, t.operators FROM test_classes AS c JOIN tests AS t ON t.class_id = c.id
WHERE c.class_id = :id ORDER BY t.id

-- name: pattern_operators
-- Which operators do the patterns have that this function of Inductor handles, describes or puts something else for?
SELECT DISTINCT o.base FROM compile_patterns AS p CROSS JOIN compile_pattern_operators AS o ON o.pattern_id = p.id
WHERE :name IN (p.function, p.replacement) ORDER BY o.base
