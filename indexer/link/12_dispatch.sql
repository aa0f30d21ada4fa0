-- What does each overload dispatch to for each key, once everything implicit is spelled out?
-- Rules: torchgen/model.py (NativeFunction.from_yaml, BackendIndex), torchgen/api/cpp.py (name),
-- torchgen/api/ufunc.py (schema_kernel_name), torchgen/dest/register_dispatch_key.py, torchgen/gen.py
-- (needs_backend_select).

-- Whether a written entry has a structured kernel: structured: True, and a key that allows it.
UPDATE dispatch SET structured = 1
WHERE origin = 'yaml'
  AND operator_id IN (SELECT id FROM operators WHERE structured)
  AND dispatch_key IN (SELECT value FROM torchgen_rules WHERE name = 'structured_dispatch_key');

-- A generated overload has a kernel that is generated with it, but for kinds that older generators leave without.
DELETE FROM dispatch
WHERE operator_id IN (
    SELECT o.id FROM operators AS o
    JOIN torchgen_rules AS r ON r.name = 'generated_without_kernel' AND r.value = o.kind
    WHERE o.origin = 'autogen');

UPDATE dispatch SET generated_by = 'torchgen (autogen of ' || (
    SELECT o.generated_from FROM operators AS o WHERE o.id = dispatch.operator_id) || ')'
WHERE operator_id IN (SELECT id FROM operators WHERE origin = 'autogen');

-- No dispatch, no structured kernel, no delegate: CompositeImplicitAutograd, by the C++ name.
INSERT INTO dispatch (operator_id, dispatch_key, kernel, origin, file_id, line)
SELECT
    o.id,
    'CompositeImplicitAutograd',
    'at::native::' || o.base || CASE WHEN EXISTS (
        SELECT 1 FROM arguments AS a WHERE a.operator_id = o.id AND a.is_out) THEN '_out' ELSE '' END,
    'default',
    o.file_id,
    o.line
FROM operators AS o
WHERE o.origin = 'yaml'
  AND NOT o.structured
  AND o.structured_delegate IS NULL
  AND NOT o.dispatch_written
ORDER BY o.id;

-- ufunc_inner_loop: kernels for the ufunc keys are generated around the inner loop.
INSERT INTO dispatch
    (operator_id, dispatch_key, kernel, structured, origin, generated_by, file_id, line)
SELECT
    o.id, r.value, 'at::native::ufunc_' || o.base || '_' || r.value, 1, 'default',
    'torchgen (ufunc_inner_loop)', o.file_id, o.line
FROM operators AS o
JOIN torchgen_rules AS r ON r.name = 'ufunc_dispatch_key'
WHERE EXISTS (SELECT 1 FROM operator_fields AS f
              WHERE f.operator_id = o.id AND f.field = 'ufunc_inner_loop')
ORDER BY o.id, r.value;

-- structured_delegate: functional and in-place variants end in the kernels of the out variant.
INSERT INTO dispatch
    (operator_id, dispatch_key, kernel, structured, origin, via, generated_by, file_id, line)
SELECT
    o.id, d.dispatch_key, d.kernel, 1, 'delegate', target.name, d.generated_by, d.file_id, d.line
FROM operators AS o
JOIN operators AS target ON target.name = o.structured_delegate
JOIN dispatch AS d ON d.operator_id = target.id AND d.structured
WHERE o.origin = 'yaml'
ORDER BY o.id, d.id;

-- Structured operators have their shapes checked by one meta function for all variants …
INSERT INTO dispatch
    (operator_id, dispatch_key, kernel, structured, origin, via, file_id, line)
SELECT
    o.id,
    'Meta',
    'at::meta::structured_' || base.base
        || CASE WHEN base.overload = '' THEN '' ELSE '_' || base.overload END || '::meta',
    1,
    'delegate',
    CASE WHEN o.id <> target.id THEN target.name END,
    target.file_id,
    target.line
FROM operators AS target
JOIN operators AS o
    ON o.signature = target.signature AND o.origin = 'yaml'
   AND (o.id = target.id OR o.structured_delegate = target.name)
-- … which is named after the functional variant.
JOIN operators AS base
    ON base.signature = target.signature AND base.kind = 'functional' AND base.origin = 'yaml'
WHERE target.structured
  AND NOT EXISTS (SELECT 1 FROM dispatch AS d
                  WHERE d.operator_id = o.id AND d.dispatch_key = 'Meta')
ORDER BY o.id;

-- … and functional and in-place variants get a kernel for every backend, over the out variant.
INSERT INTO dispatch
    (operator_id, dispatch_key, kernel, structured, origin, via, generated_by, file_id, line)
SELECT
    o.id,
    'CompositeExplicitAutogradNonFunctional',
    'at::wrapper_CompositeExplicitAutogradNonFunctional_' || o.base
        || CASE WHEN o.overload = '' THEN '' ELSE '_' || o.overload END,
    1,
    'delegate',
    target.name,
    'torchgen (RegisterCompositeExplicitAutogradNonFunctional.cpp)',
    target.file_id,
    target.line
FROM operators AS o
JOIN operators AS target ON target.name = o.structured_delegate AND target.structured
WHERE o.origin = 'yaml'
  AND NOT EXISTS (SELECT 1 FROM dispatch AS d
                  WHERE d.operator_id = o.id
                    AND d.dispatch_key = 'CompositeExplicitAutogradNonFunctional')
ORDER BY o.id;

-- In-place operators that are neither structured nor composite have their Meta kernel
-- generated from the functional one's shape (register_dispatch_key.py, inplace_meta).
INSERT INTO dispatch (operator_id, dispatch_key, kernel, origin, generated_by, file_id, line)
SELECT
    o.id,
    'Meta',
    'at::wrapper_Meta_' || o.base
        || CASE WHEN o.overload = '' THEN '' ELSE '_' || o.overload END,
    'delegate',
    'torchgen (RegisterMeta.cpp, in-place meta)',
    o.file_id,
    o.line
FROM operators AS o
WHERE o.origin = 'yaml'
  AND o.kind = 'inplace'
  AND o.structured_delegate IS NULL
  AND NOT o.manual_kernel_registration
  AND (SELECT count(*) FROM returns AS r WHERE r.operator_id = o.id) = 1
  AND NOT EXISTS (
      SELECT 1 FROM dispatch AS d
      WHERE d.operator_id = o.id
        AND d.dispatch_key IN (
            'Meta', 'CompositeExplicitAutogradNonFunctional', 'CompositeExplicitAutograd',
            'CompositeImplicitAutograd'))
ORDER BY o.id;

-- Of a factory no tensor tells the backend: a kernel that comes before all backends' reads it from the options and
-- dispatches again (gen.py, needs_backend_select and ComputeBackendSelect; api/native.py, name). Options are these four
-- together, in this order (model.py, Arguments.parse).
INSERT INTO dispatch (operator_id, dispatch_key, kernel, origin, generated_by, file_id, line)
SELECT
    o.id,
    'BackendSelect',
    'at::' || o.base || CASE WHEN o.overload = '' THEN '' ELSE '_' || o.overload END,
    'default',
    'torchgen (RegisterBackendSelect.cpp: picks the backend by dtype, layout and device)',
    o.file_id,
    o.line
FROM operators AS o
WHERE o.origin IN ('yaml', 'autogen')
  AND o.base NOT LIKE '%\_like' ESCAPE '\'
  AND o.base NOT LIKE 'new\_%' ESCAPE '\'
  AND EXISTS (
      SELECT 1
      FROM arguments AS dtype
      JOIN arguments AS layout ON layout.operator_id = o.id AND layout.position = dtype.position + 1
      JOIN arguments AS device ON device.operator_id = o.id AND device.position = dtype.position + 2
      JOIN arguments AS pinned ON pinned.operator_id = o.id AND pinned.position = dtype.position + 3
      WHERE dtype.operator_id = o.id AND dtype.kwarg_only
        AND dtype.name = 'dtype' AND dtype.type IN ('ScalarType', 'ScalarType?')
        AND layout.name = 'layout' AND layout.type IN ('Layout', 'Layout?')
        AND device.name = 'device' AND device.type IN ('Device', 'Device?')
        AND pinned.name = 'pin_memory' AND pinned.type IN ('bool', 'bool?'))
ORDER BY o.id;
