-- Which functions stand for which operator? `at::_ops::add_Tensor::call` is where every C++ call of aten::add.Tensor
-- ends; `structured_add_out::impl` and `structured_add_Tensor::meta` are what a structured kernel consists of.
-- The struct is named base_overload: torchgen/model.py, OperatorName.unambiguous_name.

CREATE TEMP TABLE operator_structs AS
SELECT id, CASE overload WHEN '' THEN base ELSE base || '_' || overload END AS name
FROM operators WHERE namespace = 'aten' AND origin <> 'library';
CREATE INDEX temp.operator_structs_name ON operator_structs (name);

INSERT OR IGNORE INTO operator_functions (function_id, operator_id, role)
SELECT u.id, o.id, 'call'
FROM functions AS u
JOIN temp.operator_structs AS o ON o.name = substr(u.name, 11, length(u.name) - 16)
WHERE u.name GLOB 'at::_ops::*::call';

INSERT OR IGNORE INTO operator_functions (function_id, operator_id, role)
SELECT u.id, o.id, 'redispatch'
FROM functions AS u
JOIN temp.operator_structs AS o ON o.name = substr(u.name, 11, length(u.name) - 22)
WHERE u.name GLOB 'at::_ops::*::redispatch';

-- `at::add` and `Tensor::add` are inline in generated headers and do nothing but call one of these
-- (torchgen/gen.py, ComputeFunction and ComputeTensorMethod): calling them is calling the operator.
INSERT OR IGNORE INTO operator_functions (function_id, operator_id, role)
SELECT c.caller_id, min(s.operator_id), 'api'
FROM calls AS c
JOIN operator_functions AS s ON s.function_id = c.callee_id AND s.role IN ('call', 'redispatch')
JOIN functions AS u ON u.id = c.caller_id
JOIN source_files AS f ON f.id = u.file_id
WHERE f.kind = 'generated' AND f.path GLOB 'build/aten/src/ATen/*.h'
GROUP BY c.caller_id
HAVING count(DISTINCT s.operator_id) = 1;

-- TORCH_META_FUNC's struct has the functional variant's name, and computes the shapes of the group: of all that
-- delegate to the same structured operator, and of that one (torchgen/model.py, NativeFunctionsGroup).
INSERT OR IGNORE INTO operator_functions (function_id, operator_id, role)
SELECT u.id, p.id, 'meta'
FROM functions AS u
JOIN temp.operator_structs AS o ON o.name = substr(u.name, 22, length(u.name) - 27)
JOIN operators AS f ON f.id = o.id
JOIN operators AS p ON p.id = f.id OR p.name = f.structured_delegate OR p.structured_delegate = f.structured_delegate
WHERE u.name GLOB 'at::meta::structured_*::meta';

INSERT OR IGNORE INTO operator_functions (function_id, operator_id, role)
SELECT k.function_id, d.operator_id, 'impl'
FROM dispatch_kernels AS k
JOIN dispatch AS d ON d.id = k.dispatch_id
JOIN functions AS u ON u.id = k.function_id
WHERE u.kind = 'structured';

-- What torchgen writes for the dispatcher is named after the operator, in a file of the dispatch key's: `add_out_out` is
-- aten::add.out's (tools/autograd/gen_trace_type.py, type_wrapper_name; torchgen/gen_functionalization_type.py,
-- wrapper_name), `wrapper_CPU_add_Tensor` and `wrapper_CPU_Tensor_bitwise_or` those of a structured operator and of another
-- (torchgen/dest/register_dispatch_key.py, wrapper_kernel_sig; it left out the key once). Not all are registered: where an
-- operator is composite nothing names the kernel that functionalization has for it.
CREATE TEMP TABLE written_kernels AS
WITH written (id, name, file) AS (
    SELECT u.id, u.name, replace(f.path, rtrim(f.path, replace(f.path, '/', '')), '')
    FROM source_files AS f JOIN functions AS u ON u.file_id = f.id
    WHERE f.kind = 'generated' AND f.path GLOB 'build/*.cpp'
      AND EXISTS (SELECT 1 FROM calls AS c JOIN functions AS i ON i.id = c.caller_id
                  WHERE c.callee_id = u.id AND c.kind = 'reference' AND i.file_id = u.file_id)
),
of_autograd (id, dispatch_key, name) AS (
    SELECT id, 'Autograd', substr(name, 32) FROM written WHERE name GLOB 'torch::autograd::VariableType::*'
    UNION ALL
    SELECT id, 'ADInplaceOrView', substr(name, 25) FROM written WHERE name GLOB 'torch::ADInplaceOrView::*'
    UNION ALL
    SELECT id, 'Tracer', substr(name, 19) FROM written WHERE name GLOB 'torch::TraceType::*'
    UNION ALL
    SELECT id, 'Functionalize', substr(name, 24) FROM written WHERE name GLOB 'at::functionalization::*'
),
wrappers (id, dispatch_key, name) AS (
    SELECT id, replace(substr(file, 9), '.cpp', ''), substr(name, 13) FROM written
    WHERE name GLOB 'at::wrapper_*' AND file GLOB 'Register*.cpp'
)
SELECT id, dispatch_key, name, 0 AS is_wrapper FROM of_autograd WHERE instr(name, '_Autograd') = 0
UNION ALL
SELECT id, substr(name, instr(name, '_Autograd') + 1), substr(name, 1, instr(name, '_Autograd') - 1), 0
FROM of_autograd WHERE instr(name, '_Autograd')
UNION ALL
SELECT id, dispatch_key,
       CASE WHEN substr(name, 1, length(dispatch_key) + 1) = dispatch_key || '_'
            THEN substr(name, length(dispatch_key) + 2) ELSE name END, 1
FROM wrappers;

CREATE TEMP TABLE kernel_names AS
WITH named (id, name, overload, is_structured) AS (
    SELECT id, base || CASE kind WHEN 'out' THEN '_out' ELSE '' END, overload,
           structured OR structured_delegate IS NOT NULL
    FROM operators WHERE namespace = 'aten' AND origin <> 'library'
)
SELECT id, name || CASE overload WHEN '' THEN '' ELSE '_' || overload END AS name, 0 AS is_wrapper, 0 AS place FROM named
UNION ALL
SELECT id, name || CASE overload WHEN '' THEN '' ELSE '_' || overload END, 1, 0 FROM named WHERE is_structured
UNION ALL
SELECT id, overload || '_' || name, 1, 1 FROM named;
CREATE INDEX temp.kernel_names_name ON kernel_names (name);

-- `wrapper_CompositeImplicitAutograd__linalg_det` may be linalg_det's or the structured _linalg_det's, which has no such
-- kernel.
INSERT OR IGNORE INTO operator_functions (function_id, operator_id, role, dispatch_key)
WITH candidates (id, dispatch_key, operator_id, place) AS (
    SELECT w.id, w.dispatch_key, k.id,
           k.place + 2 * (NOT EXISTS (SELECT 1 FROM dispatch AS d
                                      WHERE d.operator_id = k.id AND d.dispatch_key = w.dispatch_key))
    FROM temp.written_kernels AS w
    JOIN temp.kernel_names AS k ON k.name = w.name AND k.is_wrapper = w.is_wrapper
)
SELECT id, operator_id, 'generated', dispatch_key
FROM (SELECT id, dispatch_key, operator_id, place, min(place) OVER (PARTITION BY id) AS first FROM candidates)
WHERE place = first;

DROP TABLE temp.operator_structs;
DROP TABLE temp.written_kernels;
DROP TABLE temp.kernel_names;
