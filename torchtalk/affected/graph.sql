-- name: options_called
-- How many options are called so in their modules?
SELECT count(*) AS options FROM compile_options
WHERE kind = 'config' AND substr(name, -length('.config.' || :name)) = '.config.' || :name

-- name: option_tests
-- Which tests have this in their decorators?
SELECT id, operators, decorators FROM tests WHERE instr(decorators, :name) ORDER BY id

-- name: decorated_tests
-- The Python tests that have decorators.
SELECT id, file_id, decorators FROM tests WHERE decorators <> '' AND kind = 'python' ORDER BY id

-- name: files_with_name
-- Which files have a name of a module: those that import it or all of the module, or the module itself, and its own?
SELECT m.file_id FROM python_bindings AS b JOIN python_modules AS m ON m.id = b.module_id
WHERE b.target IN (:target, :module) AND b.kind IN (:import, 'from', 'star')
UNION SELECT file_id FROM python_modules WHERE name = :module

-- name: files_calling_so
-- Which files have a module, or a name of one, by this name?
SELECT m.file_id FROM python_bindings AS b JOIN python_modules AS m ON m.id = b.module_id
WHERE b.name = :name AND b.target IN (:module, :target) AND b.kind IN ('import', 'from')

-- name: tests_of_alike
-- Which tests run over nearly all entries of a class that stand in one list with the one that is next to a line?
WITH near AS (
    SELECT list_name FROM opinfos WHERE file_id = :file AND class = :class
    ORDER BY abs(line - :line), id LIMIT 1
), alike AS (
    SELECT id FROM opinfos
    WHERE file_id = :file AND class = :class AND list_name IS (SELECT list_name FROM near)
), lists AS (
    SELECT m.list_id FROM alike AS a JOIN opinfo_list_members AS m ON m.opinfo_id = a.id
    GROUP BY m.list_id HAVING sum(m.is_certain) >= 0.9 * (SELECT count(*) FROM alike)
)
SELECT DISTINCT t.id, t.name, 1 AS is_certain, f.path, t.words
FROM lists AS s
JOIN test_lists AS l ON l.list_id = s.list_id
JOIN tests AS t ON t.id = l.test_id
JOIN source_files AS f ON f.id = t.file_id
ORDER BY t.decorators GLOB '*onlyCUDA*' OR t.decorators GLOB '*onlyGPU*' OR t.decorators GLOB '*deviceCountAtLeast*',
         t.id

-- name: cpp_callers
-- Which C++ functions call this one? A candidate may be of a function of another name, or one of its overloads; where
-- none is called so besides, what one template calls of another (on types that its parameters decide) is this one. To
-- the text, which keeps no declarations, a line that calls a method that its class only declares calls all that override
-- it: of how many is this one?
SELECT c.caller_id AS id, u.name,
       min(c.is_ambiguous OR NOT c.is_alone) AS is_candidate,
       min(c.is_ambiguous) AS is_ambiguous,
       min(c.among) AS among
FROM (
    -- By its code, which the index of callees has: the kind would be looked up in the table.
    SELECT x.caller_id, x.callee_id,
        CASE WHEN x.code & 7 = 2 /* virtual */ AND x.code >= 8 /* not clang's */ THEN (
            SELECT count(*) FROM calls AS s CROSS JOIN functions AS o ON o.id = s.callee_id
            WHERE s.caller_id = x.caller_id AND s.line = x.line AND s.code = x.code AND o.last = f.last) ELSE 1 END AS among,
        x.code & 7 = 4 /* candidate */ AND EXISTS (SELECT 1 FROM ambiguous_calls AS a
            WHERE a.callee_id = x.callee_id AND a.caller_id = x.caller_id) AS is_ambiguous,
        x.code & 7 <> 4 OR NOT EXISTS (SELECT 1 FROM functions AS o WHERE o.name = f.name AND o.id <> f.id) AS is_alone
    FROM calls AS x JOIN functions AS f ON f.id = x.callee_id WHERE x.code & 7 <> 5 /* stub */
) AS c
JOIN functions AS u ON u.id = c.caller_id
WHERE c.callee_id = :id AND c.caller_id NOT IN (SELECT function_id FROM boilerplate_functions)
GROUP BY c.caller_id ORDER BY c.caller_id

-- name: cpp_constructors
-- Which constructors make what a destructor ends? Where that is no call names.
SELECT k.id, k.name FROM functions AS d
JOIN functions AS k ON k.name = substr(d.name, 1, length(d.name) - length(d.last)) || substr(d.last, 2)
WHERE d.id = :id AND d.kind = 'destructor' AND k.kind = 'constructor' ORDER BY k.id

-- name: cpp_overriders
-- How many methods override this one?
SELECT count(*) AS methods FROM edges AS e
JOIN edge_kinds AS k ON k.id = e.kind_id
WHERE e.source = :id * 16 AND k.kind = 'virtual'

-- name: cpp_constructors_named
-- Which constructors have this name?
SELECT id, name FROM functions WHERE name = :name AND kind = 'constructor' ORDER BY id

-- name: cpp_led
-- Which methods does this one override, which templates is it a specialization of, what stands in its place in another
-- build, and which functions hand its class to a template? Who calls these may run it.
SELECT u.id, u.name, k.kind FROM edges AS e
JOIN edge_kinds AS k ON k.id = e.kind_id
JOIN functions AS u ON u.id = e.source >> 4
WHERE e.target = :id * 16 AND k.kind IN ('virtual', 'specialization', 'alternative', 'template') ORDER BY u.id

-- name: cpp_operators
-- Of which operators is this function a kernel, or called by one that is a lambda?
SELECT DISTINCT o.id, o.name, d.dispatch_key, 0 AS is_called FROM dispatch_kernels AS k
JOIN dispatch AS d ON d.id = k.dispatch_id
JOIN operators AS o ON o.id = d.operator_id
WHERE k.function_id = :id
UNION
SELECT o.id, o.name, (SELECT r.dispatch_key FROM registrations AS r
                      WHERE r.file_id = e.file_id AND r.line <= e.line AND r.kernel_form = 'lambda'
                      ORDER BY r.line DESC LIMIT 1), 1
FROM edges AS e
JOIN edge_kinds AS k ON k.id = e.kind_id AND k.kind IN ('call', 'virtual', 'candidate') AND k.origin <> 'yaml'
JOIN operators AS o ON o.id = e.source >> 4
WHERE e.target = :id * 16 AND e.source & 15 = 1
ORDER BY 1, 4, 3

-- name: cpp_generated
-- Of which operators is this function a kernel that torchgen writes, and for which key? And for which backend's YAML
-- file does it stand, which lists the operator?
SELECT o.id, o.name, x.dispatch_key, 1 AS is_written FROM operator_functions AS x JOIN operators AS o ON o.id = x.operator_id
WHERE x.function_id = :id AND x.role = 'generated'
UNION ALL
SELECT o.id, o.name, substr(r.value, 1, instr(r.value, ' ') - 1), k.kind = 'generated'
FROM edges AS e
JOIN torchgen_rules AS r ON r.name = 'backend' AND r.file_id = e.file_id
JOIN edge_kinds AS k ON k.id = e.kind_id
JOIN operators AS o ON o.id = e.source >> 4
WHERE e.target = :id * 16 AND e.source & 15 = 1
ORDER BY 1, 3

-- name: cpp_stubs
-- For which stubs is this function registered?
SELECT DISTINCT stub, backend FROM stub_registrations WHERE function_id = :id ORDER BY stub, backend

-- name: cpp_launchers
-- Which functions launch this GPU kernel?
SELECT DISTINCT l.launcher_id AS id, u.name FROM functions AS f
JOIN kernels AS k ON k.file_id = f.file_id AND k.line BETWEEN f.line - 2 AND f.line + 2
JOIN launch_kernels AS x ON x.kernel_id = k.id
JOIN launches AS l ON l.id = x.launch_id
JOIN functions AS u ON u.id = l.launcher_id
WHERE f.id = :id AND f.kind = 'kernel' ORDER BY l.launcher_id

-- name: kernel_launchers
-- Which functions launch this GPU kernel, by its own row?
SELECT DISTINCT l.launcher_id AS id, u.name FROM launch_kernels AS x
JOIN launches AS l ON l.id = x.launch_id
JOIN functions AS u ON u.id = l.launcher_id
WHERE x.kernel_id = :id ORDER BY l.launcher_id

-- name: cpp_formulas
-- Which operators' gradients call this function?
SELECT DISTINCT o.base, o.name FROM edges AS e
JOIN edge_kinds AS k ON k.id = e.kind_id
JOIN operators AS o ON o.id = e.source >> 4
WHERE e.target = :id * 16 AND k.kind IN ('derivative', 'candidate') AND k.origin = 'yaml' AND e.source & 15 = 1
ORDER BY o.id

-- name: cpp_written
-- Which functions of Python write C++ that calls this function?
SELECT DISTINCT p.id, m.name || '.' || p.name AS name FROM edges AS e
JOIN edge_kinds AS k ON k.id = e.kind_id AND k.kind = 'written'
JOIN python_functions AS p ON p.id = e.source >> 4
JOIN python_modules AS m ON m.id = p.module_id
WHERE e.target = :id * 16 AND e.source & 15 = 4 ORDER BY p.id

-- name: cpp_bindings
-- Which Python names are bound to this function, and who uses them?
SELECT DISTINCT n.id, n.name FROM edges AS e
JOIN edge_kinds AS k ON k.id = e.kind_id AND k.kind = 'bind'
JOIN python_natives AS n ON n.id = e.source >> 4
WHERE e.target = :id * 16 AND e.source & 15 = 6 ORDER BY n.id

-- name: cpp_bound
-- Which Python names are bound to this function that nothing is known to use?
SELECT DISTINCT python_name AS name FROM bindings AS b
WHERE function_id = :id AND python_name IS NOT NULL AND NOT EXISTS (SELECT 1 FROM python_natives AS n
    WHERE n.name = replace(b.python_name, 'torch._C._TensorBase.', 'torch._C.TensorBase.'))
ORDER BY python_name

-- name: native_heirs
-- Which classes of Python derive from a class that is bound in C++?
SELECT DISTINCT c.id, c.name FROM python_bases AS b JOIN python_classes AS c ON c.id = b.class_id
WHERE b.name = :name ORDER BY c.id

-- name: cpp_bound_lambdas
-- Which Python names are bound to lambdas that call this function?
SELECT DISTINCT n.id, n.name FROM edges AS e
JOIN edge_kinds AS k ON k.id = e.kind_id
JOIN python_natives AS n ON n.id = e.source >> 4
WHERE e.target = :id * 16 AND e.source & 15 = 6 AND k.kind IN ('call', 'candidate') ORDER BY n.id

-- name: cpp_lambdas_unused
-- Which Python names that nothing is known to use are bound to lambdas that call this function?
SELECT DISTINCT b.python_name AS name FROM edges AS e
JOIN edge_kinds AS k ON k.id = e.kind_id
JOIN bindings AS b ON b.id = e.source >> 4
WHERE e.target = :id * 16 AND e.source & 15 = 7 AND k.kind IN ('call', 'candidate') AND b.python_name IS NOT NULL
ORDER BY b.python_name

-- name: cpp_tests
-- Is this function a test?
SELECT id FROM tests WHERE cpp_function_id = :id

-- name: stub_callers
-- Which functions call this stub?
SELECT DISTINCT s.function_id AS id, u.name FROM stub_callers AS s
JOIN functions AS u ON u.id = s.function_id WHERE s.stub = :stub ORDER BY s.function_id

-- name: stub_operators
-- Of which operators does the generated kernel call this stub?
SELECT DISTINCT o.base, o.name FROM stub_declarations AS d
JOIN edges AS e ON e.target = d.id * 16 + 2
JOIN operators AS o ON o.id = e.source >> 4
WHERE d.name = :stub AND e.source & 15 = 1 ORDER BY o.id

-- name: operator_cpp_callers
-- Which C++ functions call an operator of this name? A candidate: one of its overloads, or on what may be no tensor.
SELECT e.source >> 4 AS id, u.name, min(k.kind = 'candidate') AS is_candidate FROM operators AS o
JOIN edges AS e ON e.target = o.id * 16 + 1
JOIN edge_kinds AS k ON k.id = e.kind_id
JOIN functions AS u ON u.id = e.source >> 4
JOIN source_files AS f ON f.id = u.file_id
WHERE o.namespace = :namespace AND o.base = :base AND e.source & 15 = 0 AND k.kind IN ('operator', 'candidate')
  -- What torchgen makes of an operator for autograd, tracing and Python leads nowhere but to the operator itself, and
  -- the functions that TORCH_LIBRARY_IMPL makes (torch/library.h) nowhere at all.
  AND f.kind <> 'generated' AND u.name NOT GLOB '*TORCH_LIBRARY*_init_*'
GROUP BY u.id ORDER BY u.id

-- name: operator_formulas
-- Which operators' gradients call this one?
SELECT DISTINCT u.base, u.name FROM operators AS o
JOIN edges AS e ON e.target = o.id * 16 + 1
JOIN edge_kinds AS k ON k.id = e.kind_id
JOIN operators AS u ON u.id = e.source >> 4
WHERE o.namespace = :namespace AND o.base = :base AND u.base <> :base AND e.source & 15 = 1 AND k.kind IN ('derivative', 'candidate')
AND k.origin = 'yaml' ORDER BY u.id

-- name: operators_above
-- Which operators have a kernel, or a gradient, that calls an operator of this name?
SELECT DISTINCT 'aten::' || c.base AS name FROM operators AS o
JOIN edges AS e ON e.target = o.id * 16 + 1
JOIN edge_kinds AS k ON k.id = e.kind_id
JOIN dispatch_kernels AS d ON e.source & 15 = 0 AND d.function_id = e.source >> 4
JOIN dispatch AS r ON r.id = d.dispatch_id
JOIN operators AS c ON c.id = r.operator_id AND c.namespace = 'aten'
WHERE o.namespace = :namespace AND o.base = :base AND k.kind IN ('operator', 'candidate') AND c.base <> :base
UNION
SELECT DISTINCT 'aten::' || c.base FROM operators AS o
JOIN edges AS e ON e.target = o.id * 16 + 1
JOIN edge_kinds AS k ON k.id = e.kind_id
JOIN operators AS c ON e.source & 15 = 1 AND c.id = e.source >> 4 AND c.namespace = 'aten'
WHERE o.namespace = :namespace AND o.base = :base AND k.kind = 'derivative' AND c.base <> :base
ORDER BY 1 LIMIT 20

-- name: operators_farther_above
-- Which operators have a kernel that calls, in C++, a function that calls an operator of this name? `pad_symint` calls
-- `_pad_enum_symint`, this reflection_pad2d.
SELECT DISTINCT 'aten::' || c.base AS name FROM operators AS o
JOIN edges AS e ON e.target = o.id * 16 + 1
JOIN edge_kinds AS k ON k.id = e.kind_id
CROSS JOIN calls AS f ON f.callee_id = e.source >> 4 AND f.code & 7 <> 5 /* stub */
CROSS JOIN dispatch_kernels AS d ON d.function_id = f.caller_id
JOIN dispatch AS r ON r.id = d.dispatch_id
JOIN operators AS c ON c.id = r.operator_id AND c.namespace = 'aten'
WHERE o.namespace = :namespace AND o.base = :base AND k.kind IN ('operator', 'candidate') AND e.source & 15 = 0
  AND c.base <> :base
ORDER BY 1 LIMIT 20

-- name: operator_natives
-- Which names that Python calls end at an operator of this name?
SELECT DISTINCT x.native_id AS id, n.name FROM operators AS o
JOIN python_native_operators AS x ON x.operator_id = o.id
JOIN python_natives AS n ON n.id = x.native_id
WHERE o.namespace = :namespace AND o.base = :base ORDER BY x.native_id

-- name: is_aten
-- Has aten an operator of this base?
SELECT 1 FROM operators WHERE base = :base AND namespace = 'aten' LIMIT 1

-- name: cpp_made
-- Where does the macro stand that makes a function?
SELECT file_id, line, macro FROM functions WHERE id = :id AND macro IS NOT NULL

-- name: uses_with_names
-- How are macros used that are given a name in a namespace before more?
SELECT u.file_id, u.line, u.name, u.text, p.path FROM macro_uses AS u
JOIN source_files AS p ON p.id = u.file_id WHERE u.text GLOB '[A-Za-z_]*(*::*,*' ORDER BY u.id DESC

-- name: operator_entries
-- Which OpInfos stand for an operator of this name?
SELECT x.opinfo_id AS id, o.name, o.variant, x.how, o.ref_id IS NOT NULL AS is_ref,
       CASE WHEN x.how = 'api' THEN (SELECT count(*) FROM opinfo_operators AS a
            WHERE a.opinfo_id = x.opinfo_id AND a.how NOT IN ('alias', 'inplace')) END AS calls
FROM opinfo_operators AS x
JOIN opinfos AS o ON o.id = x.opinfo_id WHERE x.base = :base ORDER BY x.opinfo_id

-- name: entry_variants
-- Which variants have OpInfos that have any?
SELECT DISTINCT name, variant FROM opinfos WHERE variant <> '' ORDER BY name, variant

-- name: operator_tests
-- Which tests call an operator of this name, or are named after it? Of these alone the files.
SELECT x.test_id AS id, x.how AS hows, x.weight, t.operators, t.kind,
       CASE WHEN x.how = 'n' THEN (SELECT f.path FROM source_files AS f WHERE f.id = t.file_id) END AS path
FROM test_operators AS x JOIN tests AS t ON t.id = x.test_id
WHERE x.base = :base ORDER BY x.weight DESC, x.test_id LIMIT :most

-- name: operator_test_ids
-- The same, all of them.
SELECT test_id AS id FROM test_operators WHERE base = :base ORDER BY weight DESC, test_id

-- name: words_of_tests
-- What tells what some tests are about?
SELECT t.id, t.words, f.path FROM json_each(:tests) AS x
JOIN tests AS t ON t.id = x.value
JOIN source_files AS f ON f.id = t.file_id

-- name: operator_tests_among
-- Of some of the tests that have to do with an operator, how they do.
SELECT x.test_id AS id, x.how AS hows, x.weight, t.operators, t.kind, NULL AS path
FROM json_each(:tests) AS n
CROSS JOIN test_operators AS x ON x.test_id = n.value AND x.base = :base
JOIN tests AS t ON t.id = x.test_id
ORDER BY x.weight DESC, x.test_id

-- name: operator_test_total
-- How many tests have to do with an operator of this name?
SELECT count(*) AS tests FROM test_operators WHERE base = :base

-- In these the order of the tables is given (CROSS JOIN): some targets are called by thousands, which a sample of
-- their index takes for the rule.

-- name: entry_lists
-- Which lists is an entry in?
SELECT list_id, is_certain FROM opinfo_list_members WHERE opinfo_id = :id ORDER BY list_id, is_certain

-- name: entry_tests
-- Which tests run over a list that an entry is in?
SELECT l.test_id AS id, t.name, max(m.is_certain) AS is_certain, f.path, t.words
FROM opinfo_list_members AS m
JOIN test_lists AS l ON l.list_id = m.list_id
JOIN tests AS t ON t.id = l.test_id
JOIN source_files AS f ON f.id = t.file_id
WHERE m.opinfo_id = :id GROUP BY l.test_id
-- Of as many as fit, last those that the entry may not be for, and before them those that a machine without a GPU skips.
ORDER BY is_certain DESC,
         t.decorators GLOB '*onlyCUDA*' OR t.decorators GLOB '*onlyGPU*' OR t.decorators GLOB '*deviceCountAtLeast*',
         l.test_id

-- name: cpp_specialized
-- The classes of C++ that derive from another, which one of their name does not: specializations of a template.
SELECT c.name, c.file_id, c.line, c.end_line, b.base
FROM cpp_bases AS b JOIN cpp_classes AS c ON c.id = b.class_id
WHERE EXISTS (
    SELECT 1 FROM cpp_classes AS o
    WHERE o.name = c.name AND o.id <> c.id
      AND NOT EXISTS (SELECT 1 FROM cpp_bases AS d WHERE d.class_id = o.id AND d.base = b.base))
ORDER BY c.id, b.position

-- name: cpp_named
-- The functions of C++ of a name, and where they stand.
SELECT id, name, file_id, line FROM functions WHERE name = :name ORDER BY id
