-- name: operator_entries
-- Which OpInfos stand for operators of these names, or have this name themselves? Those first that have it in full.
SELECT o.id, o.name, o.variant, o.kind, o.class, o.aten_name, p.path, o.line,
       min(CASE WHEN o.name IN (SELECT value FROM json_each(:names)) THEN 0
                WHEN x.how = 'aten_name' THEN 1 WHEN x.how <> 'api' THEN 2 ELSE 3 END)
           AS tier,
       o.ref_id IS NOT NULL AS is_ref,
       max(CASE WHEN x.how = 'inplace' THEN x.base END) AS inplace,
       min(CASE WHEN x.how = 'api' THEN x.base END) AS called,
       (SELECT count(DISTINCT rtrim(a.base, '_')) FROM opinfo_operators AS a
        WHERE a.opinfo_id = o.id AND a.how NOT IN ('alias', 'inplace')) AS calls
FROM opinfos AS o
JOIN source_files AS p ON p.id = o.file_id
LEFT JOIN opinfo_operators AS x
    ON x.opinfo_id = o.id AND x.base IN (SELECT value FROM json_each(:bases))
WHERE o.kind <> 'other'
  AND (x.base IS NOT NULL OR o.name IN (SELECT value FROM json_each(:names)))
GROUP BY o.id
ORDER BY tier = 3, is_ref, o.name <> :full, tier, o.kind <> 'op', o.variant <> '', o.id

-- name: generic_tests
-- In which files do tests run over these entries, and how many for certain?
SELECT f.path, min(t.line) AS line, count(DISTINCT t.id) AS tests,
       count(DISTINCT CASE WHEN m.is_certain THEN t.id END) AS sure,
       group_concat(DISTINCT m.opinfo_id) AS ids,
       (SELECT group_concat(DISTINCT l.decorator)) AS decorator
FROM opinfo_list_members AS m
JOIN test_lists AS l ON l.list_id = m.list_id
JOIN tests AS t ON t.id = l.test_id
JOIN source_files AS f ON f.id = t.file_id
WHERE m.opinfo_id IN (SELECT value FROM json_each(:entries))
GROUP BY f.path
ORDER BY sure > 0 DESC, tests DESC, f.path

-- name: operator_tests
-- Which tests are most about operators of these names, and how?
SELECT test_id, base, how, weight FROM test_operators
WHERE base IN (SELECT value FROM json_each(:bases))
ORDER BY weight DESC, test_id LIMIT :limit

-- name: operator_runners
-- Which functions of Python, called by how many tests that have nothing else to do with them, run these operators?
WITH runners (id, api) AS (
    SELECT a.function_id, min(a.api) FROM operators AS o CROSS JOIN python_apis AS a ON a.operator_id = o.id
    WHERE o.base IN (SELECT value FROM json_each(:bases)) AND a.function_id IS NOT NULL
    GROUP BY a.function_id
)
SELECT x.api, count(DISTINCT t.id) AS tests
FROM runners AS x
CROSS JOIN python_resolutions AS r ON r.function_id = x.id
CROSS JOIN python_calls AS c ON c.target_id = r.target_id
CROSS JOIN tests AS t ON t.function_id = c.caller_id
WHERE NOT EXISTS (SELECT 1 FROM test_operators AS p
    WHERE p.test_id = t.id AND p.base IN (SELECT value FROM json_each(:bases)))
GROUP BY x.id ORDER BY tests DESC, x.api LIMIT 3

-- name: operator_total
-- How many tests have to do with an operator of this name?
SELECT count(*) FROM test_operators WHERE base = :base

-- name: operator_test_ids
-- Which are all the tests that have to do with operators of these names?
SELECT DISTINCT test_id FROM test_operators WHERE base IN (SELECT value FROM json_each(:bases))

-- name: function_tests
-- Which tests use these Python functions or classes?
-- By the two in turn: of an OR SQLite would read every resolution.
WITH named (target_id) AS (
    SELECT target_id FROM python_resolutions WHERE function_id IN (SELECT value FROM json_each(:functions))
    UNION
    SELECT target_id FROM python_resolutions WHERE class_id IN (SELECT value FROM json_each(:classes))
)
SELECT t.id AS test_id, count(*) AS uses
FROM named AS n
CROSS JOIN python_calls AS c ON c.target_id = n.target_id
CROSS JOIN tests AS t ON t.function_id = c.caller_id
GROUP BY t.id

-- name: heirs
-- Which classes of files with tests derive from these, by any number of steps?
WITH RECURSIVE heirs (id) AS (
    SELECT class_id FROM python_bases WHERE base_id IN (SELECT value FROM json_each(:classes))
    UNION
    SELECT b.class_id FROM heirs AS h JOIN python_bases AS b ON b.base_id = h.id
)
SELECT c.id, c.last FROM heirs AS h
CROSS JOIN python_classes AS c ON c.id = h.id CROSS JOIN python_modules AS m ON m.id = c.module_id
WHERE m.file_id IN (SELECT file_id FROM tests) ORDER BY c.id LIMIT 100

-- name: helper_tests
-- Which tests call a function beside tests that uses these Python functions or classes, or what C++ binds so?
WITH named (target_id) AS (
    SELECT target_id FROM python_resolutions WHERE function_id IN (SELECT value FROM json_each(:functions))
    UNION
    SELECT target_id FROM python_resolutions WHERE class_id IN (SELECT value FROM json_each(:classes))
    UNION
    SELECT r.target_id FROM python_natives AS n JOIN python_resolutions AS r ON r.native_id = n.id WHERE n.name = :native
),
helpers (id) AS (
    SELECT DISTINCT c.caller_id FROM named AS n CROSS JOIN python_calls AS c ON c.target_id = n.target_id
    CROSS JOIN python_functions AS p ON p.id = c.caller_id CROSS JOIN python_modules AS m ON m.id = p.module_id
    WHERE m.file_id IN (SELECT file_id FROM tests)
)
SELECT DISTINCT t.id AS test_id
FROM helpers AS h
CROSS JOIN python_resolutions AS r ON r.function_id = h.id
CROSS JOIN python_calls AS c ON c.target_id = r.target_id
CROSS JOIN tests AS t ON t.function_id = c.caller_id

-- name: methods_called
-- How many methods are called so, by all names that end so? Where tensors have one, what it is called on may be any of
-- them.
SELECT count(DISTINCT module_id || ' ' || name) AS methods,
       EXISTS (SELECT 1 FROM bindings WHERE python_name GLOB 'torch.*Tensor*.' || :name) AS of_tensors
FROM python_functions WHERE name IN (SELECT value FROM json_each(:methods))

-- name: body_helper_tests
-- Which tests call a function that has one of these names in its body?
SELECT DISTINCT t.id AS test_id
FROM tests_bodies AS b
CROSS JOIN python_resolutions AS r ON r.function_id = b.rowid
CROSS JOIN python_calls AS c ON c.target_id = r.target_id
CROSS JOIN tests AS t ON t.function_id = c.caller_id
WHERE tests_bodies MATCH :names
LIMIT 2000

-- name: option_called
-- Which option of torch.compile is called so, in full, behind its module or by its variable of the environment?
SELECT DISTINCT name FROM compile_options
WHERE kind = 'config' AND (name = :name OR environment = :name
    OR substr(name, -length('.config.' || :last)) = '.config.' || :last AND (:last = :name OR name LIKE '%.' || :name))
LIMIT 2

-- name: decorated_with
-- Which tests have this in their decorators?
SELECT id, decorators FROM tests WHERE instr(decorators, :name) ORDER BY id

-- name: gtests_named
-- Which C++ tests have these words in their names, and where do they stand?
SELECT t.id, t.name, f.path FROM tests_words AS w
JOIN tests AS t ON t.id = w.rowid JOIN source_files AS f ON f.id = t.file_id
WHERE tests_words MATCH :words AND t.kind = 'gtest'

-- name: paths_of
-- In which files do these C++ functions stand?
SELECT DISTINCT f.path FROM functions AS x JOIN source_files AS f ON f.id = x.file_id
WHERE x.id IN (SELECT value FROM json_each(:functions))

-- name: places_of
-- Where do they stand? What torchtalk has made stands beside nothing that it has to do with.
SELECT x.id, x.name, f.path, x.line FROM functions AS x JOIN source_files AS f ON f.id = x.file_id
WHERE x.id IN (SELECT value FROM json_each(:functions)) AND f.kind <> 'generated' ORDER BY x.id

-- name: python_places_of
-- The same of functions and classes of Python.
SELECT 'python' AS kind, p.id, m.name || '.' || p.name AS name, f.path, p.line FROM python_functions AS p
JOIN python_modules AS m ON m.id = p.module_id JOIN source_files AS f ON f.id = m.file_id
WHERE p.id IN (SELECT value FROM json_each(:functions))
UNION ALL SELECT 'class', c.id, m.name || '.' || c.name, f.path, c.line FROM python_classes AS c
JOIN python_modules AS m ON m.id = c.module_id JOIN source_files AS f ON f.id = m.file_id
WHERE c.id IN (SELECT value FROM json_each(:classes)) ORDER BY 1, 2

-- name: module_members
-- Which functions and classes stand in a module of Python, and in which file?
SELECT 'classes' AS kind, c.id, f.path
FROM python_modules AS m JOIN source_files AS f ON f.id = m.file_id CROSS JOIN python_classes AS c ON c.module_id = m.id
WHERE m.name = :name
UNION ALL
SELECT 'functions', p.id, f.path
FROM python_modules AS m JOIN source_files AS f ON f.id = m.file_id CROSS JOIN python_functions AS p ON p.module_id = m.id
WHERE m.name = :name AND p.class_id IS NULL

-- name: file_members
-- Which functions and classes of Python stand in a file?
SELECT 'classes' AS kind, c.id
FROM source_files AS f JOIN python_modules AS m ON m.file_id = f.id CROSS JOIN python_classes AS c ON c.module_id = m.id
WHERE f.path = :path
UNION ALL
SELECT 'functions', p.id
FROM source_files AS f JOIN python_modules AS m ON m.file_id = f.id CROSS JOIN python_functions AS p ON p.module_id = m.id
WHERE f.path = :path AND p.class_id IS NULL

-- name: native_operator_tests
-- Which tests call a name of Python that ends at this operator: torch.ops.quantized.conv2d?
SELECT t.id AS test_id, t.name AS test, min(n.name) AS name, count(*) AS uses FROM operators AS o
JOIN python_native_operators AS x ON x.operator_id = o.id
JOIN python_natives AS n ON n.id = x.native_id
CROSS JOIN python_resolutions AS r ON r.native_id = n.id
CROSS JOIN python_calls AS c ON c.target_id = r.target_id
CROSS JOIN tests AS t ON t.function_id = c.caller_id
WHERE o.namespace = :namespace AND o.base = :base
GROUP BY t.id

-- name: functions_of_operator
-- Which functions of Python that are called like this operator, in place or not, run it: torch.distributed.scatter?
-- SQLite takes the bare name from the row that has the minimum.
SELECT a.function_id AS id, a.api AS name, min(length(a.api)) FROM operators AS o
JOIN python_apis AS a ON a.operator_id = o.id
WHERE o.namespace = :namespace AND o.base = :base AND a.function_id IS NOT NULL
  AND trim(substr(a.api, length(rtrim(a.api, replace(a.api, '.', ''))) + 1), '_') = trim(:base, '_')
GROUP BY a.function_id

-- name: native_tests
-- Which tests call what C++ binds under this name?
SELECT t.id AS test_id, count(*) AS uses FROM python_natives AS n
JOIN python_resolutions AS r ON r.native_id = n.id
CROSS JOIN python_calls AS c ON c.target_id = r.target_id
CROSS JOIN tests AS t ON t.function_id = c.caller_id
WHERE n.name = :name GROUP BY t.id

-- name: gtest_callers
-- Which C++ tests call these C++ functions?
SELECT DISTINCT t.id AS test_id
FROM calls AS c
JOIN tests AS t ON t.cpp_function_id = c.caller_id
WHERE c.callee_id IN (SELECT value FROM json_each(:functions))

-- name: gtests_by_helpers
-- Which C++ tests call these C++ functions through what files of tests have beside their tests: fixtures, helpers?
SELECT t.id AS test_id, min(h.name) AS helper
FROM (
  SELECT DISTINCT caller_id FROM calls WHERE callee_id IN (SELECT value FROM json_each(:functions)) LIMIT 2000
) AS c
CROSS JOIN functions AS h ON h.id = c.caller_id
CROSS JOIN source_files AS f ON f.id = h.file_id
CROSS JOIN calls AS d ON d.callee_id = h.id
CROSS JOIN tests AS t ON t.cpp_function_id = d.caller_id
WHERE (f.path GLOB 'test/*' OR f.path GLOB '*/test/*' OR f.path GLOB '*/test_*' OR f.path GLOB '*_test.*')
GROUP BY t.id

-- name: named_tests
-- Which tests have all these words in their own or their class's name?
SELECT w.rowid AS test_id, t.name, length(t.name) AS length, t.kind
FROM tests_words AS w JOIN tests AS t ON t.id = w.rowid
WHERE tests_words MATCH :words
ORDER BY w.rank LIMIT 2000

-- name: named_tests_in
-- The same, of some files.
SELECT w.rowid AS test_id, t.name, length(t.name) AS length, t.kind, f.path, t.words
FROM tests_words AS w JOIN tests AS t ON t.id = w.rowid JOIN source_files AS f ON f.id = t.file_id
WHERE tests_words MATCH :words AND t.file_id IN (SELECT value FROM json_each(:files))
ORDER BY w.rank LIMIT 500

-- name: methods_of_folder
-- Which methods have the classes of the Python files of a folder?
SELECT c.last AS class, substr(p.name, length(c.last) + 2) AS method
FROM source_files AS f
JOIN python_modules AS m ON m.file_id = f.id
JOIN python_functions AS p ON p.module_id = m.id
JOIN python_classes AS c ON c.id = p.class_id
WHERE f.path > :folder AND f.path < :folder || '~' AND instr(substr(f.path, length(:folder) + 1), '/') = 0

-- name: body_tests
-- Which tests have one of these names in their body?
SELECT t.id AS test_id
FROM tests_bodies AS b JOIN tests AS t ON t.function_id = b.rowid
WHERE tests_bodies MATCH :names
LIMIT 2000

-- name: test_files
-- The files of tests with one of these in their path. What is asked first leaves little for what takes long.
SELECT f.id, f.path FROM source_files AS f
WHERE f.id IN (SELECT DISTINCT file_id FROM tests) AND f.path LIKE '%test%'
  AND EXISTS (SELECT 1 FROM json_each(:having) AS h WHERE instr(lower(f.path), h.value)) ORDER BY f.id

-- name: file_tests
-- The tests of some files.
SELECT t.id AS test_id, f.path FROM source_files AS f JOIN tests AS t ON t.file_id = f.id
WHERE f.id IN (SELECT value FROM json_each(:files)) ORDER BY t.id LIMIT 2000

-- name: tests_of
-- The tests of files by their paths, in the paths' order: all, or those that anybody runs.
SELECT t.id, t.words, p.key AS at FROM json_each(:files) AS p
JOIN source_files AS f ON f.path = p.value JOIN tests AS t ON t.file_id = f.id
WHERE :all OR NOT {never_run:t}
ORDER BY p.key, t.id

-- name: is_named
-- Is any test called so?
SELECT 1 FROM tests_words WHERE tests_words MATCH :words LIMIT 1

-- name: called_names
-- What do these Python functions call, as OpInfos would be called: nn.functional.conv2d?
SELECT DISTINCT substr(t.target, 7) AS name FROM python_calls AS c
JOIN python_targets AS t ON t.id = c.target_id
WHERE c.caller_id IN (SELECT value FROM json_each(:functions)) AND c.kind = 0 AND t.target GLOB 'torch.*'
ORDER BY 1

-- name: aliased
-- Which OpInfos have one of these names, or have it for an alias?
SELECT DISTINCT o.name FROM json_each(:names) AS n
JOIN opinfos AS o ON o.kind = 'op' AND (o.name = n.value OR instr(', ' || o.aliases || ',', ', ' || n.value || ','))
ORDER BY o.id

-- name: forwards
-- The method `forward` of these classes.
SELECT class_id, id FROM python_functions
WHERE class_id IN (SELECT value FROM json_each(:classes)) AND name GLOB '*.forward'

-- name: called_methods
-- Which methods of some classes do these Python functions call?
SELECT DISTINCT q.id FROM python_calls AS c
JOIN python_resolutions AS r ON r.target_id = c.target_id
JOIN python_functions AS q ON q.id = r.function_id
WHERE c.caller_id IN (SELECT value FROM json_each(:functions)) AND c.kind = 0
  AND q.class_id IN (SELECT value FROM json_each(:classes))
ORDER BY q.id

-- name: about
-- What tells what these tests are about?
SELECT t.id, t.words, f.path FROM tests AS t JOIN source_files AS f ON f.id = t.file_id
WHERE t.id IN (SELECT value FROM json_each(:tests))

-- name: calling_operators
-- Which operators have a kernel that calls an operator of these names? Not those for nested or quantized tensors, and for
-- telephones: an entry's samples are none of these (torch/testing/_internal/common_methods_invocations.py).
SELECT DISTINCT c.base FROM operators AS o
JOIN edges AS e ON e.target = o.id * 16 + 1
JOIN edge_kinds AS k ON k.id = e.kind_id
JOIN dispatch_kernels AS d ON d.function_id = e.source >> 4
JOIN dispatch AS r ON r.id = d.dispatch_id
JOIN operators AS c ON c.id = r.operator_id
WHERE o.base IN (SELECT value FROM json_each(:bases)) AND e.source & 15 = 0 AND k.kind IN ('operator', 'candidate')
  AND c.base NOT IN (SELECT value FROM json_each(:bases))
  AND r.dispatch_key NOT GLOB '*NestedTensor*' AND r.dispatch_key NOT GLOB 'Quantized*'
  AND r.dispatch_key NOT IN ('MkldnnCPU', 'Vulkan', 'Metal')
ORDER BY c.base LIMIT 20

-- name: differentiated_operators
-- Of which operators do the formulas of gradients call an operator of these names?
SELECT DISTINCT c.base FROM operators AS o
JOIN edges AS e ON e.target = o.id * 16 + 1
JOIN edge_kinds AS k ON k.id = e.kind_id
JOIN operators AS c ON c.id = e.source >> 4
WHERE o.base IN (SELECT value FROM json_each(:bases)) AND e.source & 15 = 1 AND k.kind = 'derivative'
  AND c.base NOT IN (SELECT value FROM json_each(:bases))
ORDER BY c.base LIMIT 20

-- name: wrappers
-- Which functions of another module have the name of one of these, and call it?
SELECT DISTINCT q.id FROM python_functions AS p
JOIN python_resolutions AS r ON r.function_id = p.id
JOIN python_calls AS c ON c.target_id = r.target_id
JOIN python_functions AS q ON q.id = c.caller_id
WHERE p.id IN (SELECT value FROM json_each(:functions)) AND q.name = p.name AND q.module_id <> p.module_id
ORDER BY q.id

-- name: details
-- What is needed to show and run these tests?
SELECT t.id, t.name, t.kind, t.file_id, c.name AS class, c.role, f.path, t.line,
       EXISTS (SELECT 1 FROM test_instantiations AS i WHERE i.class_id = t.class_id
               AND (i.kind = 'devices' OR i.function GLOB '*parameterized_class')) AS for_devices,
       EXISTS (SELECT 1 FROM test_instantiations AS i WHERE i.class_id = t.class_id
               AND i.kind = 'parameters') AS for_parameters, t.decorators,
       (SELECT group_concat(i.arguments) FROM test_instantiations AS i WHERE i.class_id = t.class_id
               AND i.kind = 'copy') AS copied,
       EXISTS (SELECT 1 FROM test_mains AS r WHERE r.file_id = t.file_id) AS has_main,
       CASE WHEN (f.path GLOB 'torch/*' AND f.path NOT GLOB '*/test_*.py')
           OR (c.role = 'mixin' AND NOT EXISTS (
               SELECT 1 FROM python_bases AS b JOIN python_classes AS o ON o.id = b.class_id
               JOIN python_modules AS m ON m.id = o.module_id
               WHERE b.base_id = c.class_id AND m.file_id = t.file_id)
               AND NOT EXISTS (
                   SELECT 1 FROM test_instantiations AS i WHERE i.class_id = t.class_id AND i.kind = 'copy'))
           OR (c.role = 'template' AND NOT EXISTS (
               SELECT 1 FROM test_classes AS o WHERE o.file_id = t.file_id AND o.role = 'test'))
       THEN coalesce(
           -- One that names the class, or the class around it, before one that imports all; the shortest path of these.
           (SELECT substr(min(printf('%04d', length(r.path)) || r.path), 5) FROM test_sources AS s JOIN source_files AS r ON r.id = s.file_id
            WHERE s.source_id = t.file_id AND r.path NOT GLOB 'torch/*'
              AND instr(', ' || s.classes || ', ', ', ' || substr(c.name, 1, instr(c.name || '.', '.') - 1) || ', ')),
           (SELECT substr(min(printf('%04d', length(r.path)) || r.path), 5) FROM test_sources AS s JOIN source_files AS r ON r.id = s.file_id
            WHERE s.source_id = t.file_id AND r.path NOT GLOB 'torch/*'),
           -- A function of the file may make a class of it: MakeTestCase of test/onnx/test_pytorch_jit_onnx.py.
           CASE WHEN f.path GLOB '*/test_*.py' THEN f.path ELSE '' END)
       END AS run_by
FROM tests AS t
JOIN source_files AS f ON f.id = t.file_id
LEFT JOIN test_classes AS c ON c.id = t.class_id
WHERE t.id IN (SELECT value FROM json_each(:tests))

-- name: documented
-- Which public functions and classes of Python have this in their docstrings or names?
SELECT 'classes' AS kind, id, public_name AS name, coalesce(doc, '') AS doc FROM python_classes
WHERE public_name IS NOT NULL AND category <> 'test' AND public_name GLOB 'torch.*'
  AND (doc LIKE '%' || :stem || '%' OR public_name LIKE '%' || :stem || '%')
UNION ALL
SELECT 'functions', p.id, m.name || '.' || p.name, p.doc FROM python_functions AS p
JOIN python_modules AS m ON m.id = p.module_id
WHERE p.doc LIKE '%' || :stem || '%' AND p.class_id IS NULL AND p.name NOT GLOB '_*'
  AND m.name GLOB 'torch*' AND m.name NOT GLOB '*._*' AND m.name NOT GLOB 'torch.testing*'

-- name: declared
-- Where is an operator declared, by its name or that of one of its overloads?
SELECT f.path, o.line FROM operators AS o JOIN source_files AS f ON f.id = o.file_id
WHERE o.name = :name OR o.name GLOB :name || '.*' ORDER BY o.origin <> 'yaml', o.id LIMIT 1
