-- What depends on what, beyond C++ functions that call each other: the edges that make it PyTorch's graph.
-- A node is an id * 16 + the number of its table (schema.sql, `edges`). Those within Python are made in 81, calls of
-- operators in 82, what overrides what in 83.

DELETE FROM edges WHERE kind_id NOT IN (21, 22, 23, 24, 39, 44, 45, 55) AND NOT (kind_id IN (14, 15, 16, 35, 36, 37) AND target & 15 = 1);
DELETE FROM edge_kinds;
DELETE FROM boilerplate_functions WHERE what <> 'generated';

INSERT INTO edge_kinds (id, kind, origin) VALUES
    (1, 'stub', 'syntax'), (2, 'stub', 'macro'),
    (3, 'dispatch', 'yaml'), (4, 'dispatch', 'delegate'), (5, 'dispatch', 'default'), (6, 'dispatch', 'impl'),
    (7, 'dispatch', 'macro'), (8, 'dispatch', 'python'),
    (9, 'structured', 'yaml'), (10, 'structured', 'delegate'), (11, 'structured', 'default'), (12, 'structured', 'impl'),
    (13, 'structured', 'macro'),
    (14, 'operator', 'syntax'), (15, 'candidate', 'syntax'), (16, 'operator', 'clang'),
    (17, 'launch', 'syntax'),
    (18, 'bind', 'yaml'), (19, 'bind', 'syntax'), (20, 'bind', 'python'),
    (21, 'python', 'python'), (22, 'reference', 'python'), (23, 'method', 'python'), (24, 'inherits', 'python'),
    (25, 'derivative', 'yaml'), (26, 'candidate', 'yaml'),
    (27, 'virtual', 'clang'),
    (28, 'decomposition', 'python'), (29, 'meta', 'python'), (30, 'fake', 'python'), (31, 'ref', 'python'),
    (32, 'prim', 'python'), (33, 'lowering', 'python'), (34, 'fallback', 'python'),
    (35, 'operator', 'macro'), (36, 'candidate', 'macro'),
    (37, 'handle', 'syntax'), (38, 'stub', 'clang'),
    (39, 'derivative', 'python'), (40, 'template', 'syntax'),
    (41, 'specialization', 'syntax'), (42, 'alternative', 'syntax'),
    (43, 'virtual', 'syntax'), (44, 'virtual', 'python'), (45, 'candidate', 'python'),
    (46, 'call', 'syntax'), (47, 'call', 'clang'), (48, 'call', 'macro'), (49, 'candidate', 'clang'),
    (50, 'python', 'syntax'), (51, 'reference', 'syntax'),
    (52, 'generated', 'clang'), (53, 'bind', 'clang'), (54, 'written', 'python'), (55, 'decorator', 'python'),
    (58, 'destructor', 'syntax'), (59, 'generated', 'yaml');

-- Stubs -----------------------------------------------------------------------------------

CREATE TEMP TABLE stub_nodes AS
SELECT name, min(id) * 16 + 2 AS node FROM stub_declarations GROUP BY name;
CREATE UNIQUE INDEX temp.stub_nodes_name ON stub_nodes (name);

-- A function that calls a stub, or hands it to what calls it.
INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)
SELECT n.node, s.function_id * 16,
       -- Clang names the stub's variable on the same line.
       CASE WHEN EXISTS (SELECT 1 FROM calls AS c JOIN functions AS v ON v.id = c.callee_id
                         WHERE c.caller_id = s.function_id AND c.line = s.line AND c.origin = 'clang' AND v.name = s.stub)
            THEN 38 WHEN s.how = 'macro' THEN 2 ELSE 1 END,
       s.file_id, s.line, 1
FROM stub_callers AS s
JOIN temp.stub_nodes AS n ON n.name = s.stub
WHERE s.function_id IS NOT NULL;

-- A stub's registered kernels.
INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)
SELECT r.function_id * 16, n.node,
       CASE WHEN EXISTS (SELECT 1 FROM semantic_stub_kernels AS k
                         WHERE k.function_id = r.function_id AND k.file_id = r.file_id AND k.line = r.line)
            THEN 38 ELSE 2 END,
       r.file_id, r.line, 0
FROM stub_registrations AS r
JOIN temp.stub_nodes AS n ON n.name = r.stub
WHERE r.function_id IS NOT NULL AND r.kernel <> 'nullptr';

-- Operators -------------------------------------------------------------------------------

-- The kernels of an operator; a structured kernel's impl and meta are methods of a class of their own.
INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)
SELECT k.function_id * 16, d.operator_id * 16 + 1,
       CASE WHEN u.kind = 'structured' THEN
           CASE d.origin WHEN 'yaml' THEN 9 WHEN 'delegate' THEN 10 WHEN 'default' THEN 11 WHEN 'macro' THEN 13 ELSE 12 END
       ELSE
           CASE d.origin WHEN 'yaml' THEN 3 WHEN 'delegate' THEN 4 WHEN 'default' THEN 5 WHEN 'macro' THEN 7 ELSE 6 END
       END,
       coalesce(d.file_id, u.file_id), coalesce(d.line, u.line), 0
FROM dispatch_kernels AS k
JOIN dispatch AS d ON d.id = k.dispatch_id
JOIN functions AS u ON u.id = k.function_id
-- Falling through to the next key runs nothing.
WHERE u.name <> 'c10::fallthrough_kernel';

-- And those that torchgen writes: whoever changes what VariableTypeUtils.h gives all of them changes the operators.
INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)
SELECT x.function_id * 16, x.operator_id * 16 + 1, 52, u.file_id, u.line, 0
FROM operator_functions AS x
JOIN functions AS u ON u.id = x.function_id
WHERE x.role = 'generated';

-- The kernels of a backend that has a YAML file of its own are methods of one class, called like the operator; for
-- others torchgen writes one, which asks for the shape of what the operator gives where no structured kernel tells it
-- (torchgen/gen_backend_stubs.py, create_backend_index; torchgen/dest/lazy_ir.py, ComputeShapeSignature).
INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)
WITH backends (backend, class_name, namespace, file_id) AS (
    SELECT substr(value, 1, instr(value, ' ') - 1), substr(value, instr(value, ' ') + 1),
           rtrim(substr(value, instr(value, ' ') + 1), replace(value, ':', '')), file_id
    FROM torchgen_rules WHERE name = 'backend'
),
kernels_of (operator_id, name, kind_id, file_id, line) AS (
    SELECT o.id,
           CASE r.name WHEN b.backend || ' full_codegen' THEN b.namespace || 'compute_shape_' ELSE b.class_name || '::' END
           || o.base || CASE o.kind WHEN 'out' THEN '_out' ELSE '' END
           || CASE WHEN EXISTS (SELECT 1 FROM torchgen_rules AS s, json_each(s.value) AS i
                                WHERE s.name = b.backend || ' symint' AND i.key = l.key)
              THEN '_symint' ELSE '' END,
           CASE r.name WHEN b.backend || ' full_codegen' THEN 59 ELSE 3 END, r.file_id, l.value
    FROM backends AS b
    JOIN torchgen_rules AS r
      ON r.name IN (b.backend || ' supported', b.backend || ' autograd', b.backend || ' full_codegen')
    JOIN json_each(r.value) AS l
    JOIN operators AS o ON o.name = 'aten::' || l.key
)
SELECT id * 16, operator_id * 16 + 1, kind_id, file_id, line, 0
FROM (
    -- Overloads are told apart by how many arguments they take.
    SELECT *, min(is_other) OVER (PARTITION BY operator_id, name) AS are_all_other
    FROM (SELECT u.id, k.*, length(u.signature) - length(replace(u.signature, ',', '')) + 1 <>
                 (SELECT count(*) FROM arguments AS a WHERE a.operator_id = k.operator_id) AS is_other
          FROM kernels_of AS k JOIN functions AS u ON u.name = k.name)
)
WHERE is_other = are_all_other;

-- A ufunc's generated kernel calls the stub that is generated with it; both run the inner loop
-- (torchgen/dest/ufunc.py, compute_ufunc_cpu and its like). CUDA's launches by gpu_kernel.
INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)
WITH ufuncs (operator_id, name, is_cpu, kind_id, file_id, line) AS (
    SELECT operator_id,
           substr(kernel, length('at::native::ufunc_') + 1, length(kernel) - length('at::native::ufunc_')
                  - CASE dispatch_key WHEN 'CPU' THEN 4 ELSE 5 END),
           dispatch_key = 'CPU', CASE origin WHEN 'delegate' THEN 4 WHEN 'yaml' THEN 3 ELSE 5 END, file_id, line
    FROM dispatch
    WHERE generated_by IS NOT NULL AND kernel GLOB 'at::native::ufunc_*' AND dispatch_key IN ('CPU', 'CUDA')
      AND file_id IS NOT NULL AND line IS NOT NULL
)
SELECT n.node, x.operator_id * 16 + 1, x.kind_id, x.file_id, x.line, 0
FROM ufuncs AS x
JOIN temp.stub_nodes AS n ON n.name = 'at::native::' || x.name || '_stub'
WHERE x.is_cpu
UNION
SELECT u.id * 16, x.operator_id * 16 + 1, x.kind_id, x.file_id, x.line, 0
FROM ufuncs AS x
JOIN functions AS u ON u.name = 'at::native::ufunc::' || x.name
UNION
SELECT u.id * 16, x.operator_id * 16 + 1, x.kind_id, x.file_id, x.line, 0
FROM ufuncs AS x
JOIN functions AS u ON u.name = 'at::native::gpu_kernel'
WHERE NOT x.is_cpu;

-- Kernels written in Python. Those for Meta, and what py_impl registers for Python's own dispatch
-- (torch/_ops.py), run where torch.compile traces; a higher-order operator has no others. What a function makes
-- belongs to it: `make_pointwise.<locals>.inner`.
CREATE TEMP TABLE python_names AS
SELECT m.name || '.' || p.name AS name, min(p.id) AS id
FROM python_functions AS p
JOIN python_modules AS m ON m.id = p.module_id
WHERE p.kind <> 'overload' AND NOT p.guarded
  AND (m.name || '.' || p.name IN (
          SELECT substr(kernel, 1, instr(kernel || '.<locals>', '.<locals>') - 1) FROM dispatch WHERE origin = 'python'
          UNION SELECT substr(function, 1, instr(function || '.<locals>', '.<locals>') - 1) FROM compile_entries)
       OR m.name = 'torch._inductor.ops_handler' AND p.name GLOB 'OpsHandler.*')
GROUP BY m.name || '.' || p.name;
CREATE UNIQUE INDEX temp.python_names_name ON python_names (name);

INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)
SELECT p.id * 16 + 4, d.operator_id * 16 + 1,
       CASE WHEN d.dispatch_key = 'Meta' THEN 29 WHEN d.dispatch_key = 'FakeTensorMode' THEN 30
            WHEN r.via = 'py_impl' AND o.namespace <> 'higher_order' THEN 28 ELSE 8 END,
       d.file_id, d.line, 0
FROM dispatch AS d
JOIN operators AS o ON o.id = d.operator_id
JOIN temp.python_names AS p ON p.name = substr(d.kernel, 1, instr(d.kernel || '.<locals>', '.<locals>') - 1)
LEFT JOIN dispatch_registrations AS x ON x.dispatch_id = d.id
LEFT JOIN registrations AS r ON r.id = x.registration_id
WHERE d.origin = 'python' AND d.file_id IS NOT NULL AND d.line IS NOT NULL;

-- What a helper makes an operator's kernels of: `_prim_impl` of torch/_prims/__init__.py, `_make_prim`, calls the functions
-- that this is given, that for Meta tensors first. Overloads with an `out` are called by those that have one.
INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)
SELECT DISTINCT coalesce(r.function_id * 16 + 4, g.id * 16 + 1), o.id * 16 + 1, 8, o.file_id, o.line, 0
FROM python_targets AS t
JOIN python_natives AS n ON n.name = substr(t.target, 1, length(t.target) - 1)
JOIN python_native_operators AS x ON x.native_id = n.id
JOIN operators AS o ON o.id = x.operator_id
JOIN python_resolutions AS r ON r.target_id = t.id
LEFT JOIN python_native_operators AS y ON y.native_id = r.native_id
LEFT JOIN operators AS g ON g.id = y.operator_id AND (g.kind <> 'out' OR o.kind = 'out')
WHERE t.target GLOB 'torch.ops.*=' AND o.file_id IS NOT NULL AND o.line IS NOT NULL
  AND coalesce(r.function_id, g.id) IS NOT NULL;

-- What torch.compile runs in an operator's place.
INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)
SELECT p.id * 16 + 4, e.operator_id * 16 + 1,
       CASE e.role WHEN 'decomposition' THEN 28 WHEN 'meta' THEN 29 WHEN 'fake' THEN 30 WHEN 'ref' THEN 31
                   WHEN 'prim' THEN 32 WHEN 'lowering' THEN 33 ELSE 34 END,
       e.file_id, e.line, 0
FROM compile_entries AS e
JOIN temp.python_names AS p ON p.name = substr(e.function, 1, instr(e.function || '.<locals>', '.<locals>') - 1)
WHERE e.operator_id IS NOT NULL AND e.file_id IS NOT NULL AND e.line IS NOT NULL;

-- What register_pointwise makes calls the handler's method of the operator's name, and for doubles that of libdevice's
-- function (torch/_inductor/lowering.py; torch/_inductor/ir.py, ops_wrapper); it names those of torch.special as their
-- functions are called there.
INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)
SELECT p.id * 16 + 4, e.operator_id * 16 + 1, 33, e.file_id, e.line, 0
FROM compile_entries AS e
JOIN operators AS o ON o.id = e.operator_id
JOIN json_each('["", "libdevice_"]') AS prefix
JOIN temp.python_names AS p ON p.name = 'torch._inductor.ops_handler.OpsHandler.' || prefix.value
    || CASE WHEN o.base GLOB 'special_*' THEN substr(o.base, 9) ELSE o.base END
WHERE e.role = 'lowering' AND e.function = 'torch._inductor.lowering.make_pointwise.<locals>.inner'
  AND e.file_id IS NOT NULL AND e.line IS NOT NULL;

-- Gradients: the functions of FunctionsManual.cpp, which formulas call by their bare names
-- (tools/autograd/gen_autograd_functions.py), and the operators that they call, by bare names or as `at::f`.
CREATE TEMP TABLE formula_uses AS
SELECT operator_id, name, is_method, file_id, line,
       CASE WHEN plain LIKE '%\_symint' ESCAPE '\' THEN substr(plain, 1, length(plain) - 7) ELSE plain END AS base
FROM (
    SELECT DISTINCT d.operator_id, x.name, x.is_method, d.file_id, d.line,
           CASE WHEN x.name LIKE 'at::%' THEN substr(x.name, 5) ELSE x.name END AS plain
    FROM derivative_functions AS x
    JOIN derivatives AS d ON d.id = x.derivative_id
    WHERE d.operator_id IS NOT NULL);

INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)
SELECT u.id * 16, x.operator_id * 16 + 1, 25, x.file_id, x.line, 1
FROM temp.formula_uses AS x
JOIN functions AS u ON u.name = 'torch::autograd::generated::details::' || x.name
WHERE NOT x.is_method;

INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)
SELECT o.id * 16 + 1, x.operator_id * 16 + 1,
       CASE count(*) OVER (PARTITION BY x.operator_id, x.name, x.line) WHEN 1 THEN 25 ELSE 26 END,
       x.file_id, x.line, 1
FROM temp.formula_uses AS x
JOIN operators AS o ON o.base = x.base
WHERE o.namespace = 'aten' AND o.origin = 'yaml' AND o.kind NOT IN ('out', 'scratch')
  AND instr(coalesce(o.variants, 'function'), CASE WHEN x.is_method THEN 'method' ELSE 'function' END)
  AND NOT (NOT x.is_method AND EXISTS (
      SELECT 1 FROM functions AS u WHERE u.name = 'torch::autograd::generated::details::' || x.name));

-- GPU kernels -----------------------------------------------------------------------------

-- Launches that are no rows of `calls`: of Metal's and embedded kernels, and through helpers.
CREATE TEMP TABLE kernel_nodes AS
SELECT k.id, coalesce(min(u.id) * 16, k.id * 16 + 3) AS node
FROM kernels AS k
LEFT JOIN functions AS u
  ON u.file_id = k.file_id AND u.line BETWEEN k.line - 2 AND k.line + 2 AND u.kind = 'kernel'
 AND substr(u.name, -length(k.function)) = k.function
GROUP BY k.id;
CREATE UNIQUE INDEX temp.kernel_nodes_id ON kernel_nodes (id);

INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)
SELECT n.node, l.launcher_id * 16,
       -- Of the kernels that a lambda is called with it is one of several.
       CASE WHEN l.handed_to IS NULL THEN 17 ELSE 15 END, l.file_id, l.line, 1
FROM launch_kernels AS x
JOIN launches AS l ON l.id = x.launch_id
JOIN temp.kernel_nodes AS n ON n.id = x.kernel_id
WHERE l.launcher_id IS NOT NULL
  -- A launch stands at its `<<<`, the call at the kernel's name some lines before.
  AND NOT EXISTS (SELECT 1 FROM calls AS c WHERE c.caller_id = l.launcher_id AND c.callee_id = n.node / 16
                  AND n.node % 16 = 0 AND c.line BETWEEN l.line - 4 AND l.line AND c.kind <> 'reference');

INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)
SELECT l.callee_id * 16, l.launcher_id * 16, 17, l.file_id, l.line, 1
FROM launches AS l
WHERE l.launcher_id IS NOT NULL AND l.callee_id IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM calls AS c WHERE c.caller_id = l.launcher_id AND c.callee_id = l.callee_id);

-- Python ----------------------------------------------------------------------------------

-- Names that C++ gives to Python: for operators, and for functions.
INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)
SELECT x.operator_id * 16 + 1, x.native_id * 16 + 6,
       CASE n.how WHEN 'generated' THEN 18 WHEN 'ops' THEN 18 WHEN 'handwritten' THEN 19 ELSE 20 END,
       coalesce(n.file_id, o.file_id), coalesce(n.line, o.line, 1), 0
FROM python_native_operators AS x
JOIN python_natives AS n ON n.id = x.native_id
JOIN operators AS o ON o.id = x.operator_id
WHERE coalesce(n.file_id, o.file_id) IS NOT NULL;

-- Older trees bind what tensors have to _TensorBase alone (torch/csrc/autograd/python_variable.cpp), which Python's
-- calls know as TensorBase.
INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)
WITH old (name) AS (
    SELECT 'torch._C._TensorBase.'
    WHERE NOT EXISTS (SELECT 1 FROM bindings WHERE python_name >= 'torch._C.TensorBase.' AND python_name < 'torch._C.TensorBase/')
)
SELECT b.function_id * 16,
       coalesce((SELECT n.id * 16 + 6 FROM python_natives AS n
                 WHERE n.name = coalesce(replace(b.python_name, o.name, 'torch._C.TensorBase.'), b.python_name)),
                -- Who makes an object of a class runs what makes it.
                (SELECT n.id * 16 + 6 FROM python_natives AS n
                 WHERE b.name IN ('__new__', '__init__')
                   AND n.name = substr(b.python_name, 1, length(b.python_name) - length(b.name) - 1)),
                b.id * 16 + 7),
       19, b.file_id, b.line, 0
FROM bindings AS b LEFT JOIN old AS o
WHERE b.function_id IS NOT NULL;

-- And the functions that the generator writes of its templates (tools/autograd/gen_python_functions.py): one of each is in
-- the files that are called like the template, in shards where they are many. `Tensor.relu` and `torch.relu` have a
-- THPVariable_relu each.
INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)
WITH templates (id, prefix) AS MATERIALIZED (
    SELECT id, 'build/torch/csrc/autograd/generated/' ||
           replace(replace(path, rtrim(path, replace(path, '/', '')), ''), '.cpp', '')
    FROM source_files WHERE id IN (SELECT file_id FROM bindings WHERE form = 'generated')
)
SELECT u.id * 16, n.id * 16 + 6, 53, u.file_id, u.line, 0
FROM bindings AS b
JOIN templates AS t ON t.id = b.file_id
JOIN python_natives AS n ON n.name = replace(b.python_name, 'torch._C._TensorBase.', 'torch._C.TensorBase.')
JOIN functions AS u ON u.name = b.cpp_name
JOIN source_files AS f ON f.id = u.file_id AND f.path GLOB t.prefix || '*.cpp'
WHERE b.form = 'generated';

DROP TABLE temp.stub_nodes;
DROP TABLE temp.python_names;
DROP TABLE temp.formula_uses;
DROP TABLE temp.kernel_nodes;
