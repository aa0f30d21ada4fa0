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

DROP TABLE temp.operator_structs;
