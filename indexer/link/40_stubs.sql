-- Which stub does a registration or a use mean, which function is registered, and which one calls?
-- Names are looked up as C++ does: from the innermost namespace around outwards.

CREATE TEMP TABLE enclosing AS
WITH RECURSIVE walk (scope, prefix, depth) AS (
    SELECT scope, CASE scope WHEN '' THEN '' ELSE scope || '::' END, 0
    FROM (SELECT scope FROM stub_registrations UNION SELECT scope FROM stub_callers
          UNION SELECT scope FROM launches UNION SELECT scope FROM bindings
          UNION SELECT scope FROM binding_owners)
    UNION ALL
    -- Without its last part: all that follows the last colon but one goes.
    SELECT scope,
           rtrim(rtrim(prefix, ':'), replace(rtrim(prefix, ':'), ':', '')),
           depth + 1
    FROM walk WHERE prefix <> ''
)
SELECT scope, prefix, depth FROM walk;

CREATE INDEX temp.enclosing_scope ON enclosing (scope, depth);

UPDATE stub_registrations SET stub = coalesce((
    SELECT d.name FROM temp.enclosing AS e
    JOIN stub_declarations AS d ON d.name = e.prefix || stub_registrations.stub
    WHERE e.scope = stub_registrations.scope
    ORDER BY e.depth LIMIT 1), stub);

-- A name that is no stub's was a parameter or an ordinary function.
UPDATE stub_callers SET stub = coalesce((
    SELECT d.name FROM temp.enclosing AS e
    JOIN stub_declarations AS d ON d.name = e.prefix || stub_callers.stub
    WHERE e.scope = stub_callers.scope
    ORDER BY e.depth LIMIT 1), '');

DELETE FROM stub_callers WHERE stub = '';

-- The kernel's definition: of several of one name the one in the registering file, then the one
-- in its folder; a longer one before a shorter, which under #if only raises. A stub holds a pointer
-- to a host function: never a __global__ one, which may have the same name, nor one that only another source can name.
UPDATE stub_registrations SET function_id = (
    SELECT u.id
    FROM stub_registrations AS r
    JOIN temp.enclosing AS e ON e.scope = r.scope
    JOIN functions AS u ON u.name = e.prefix || r.kernel
    JOIN source_files AS f ON f.id = u.file_id
    JOIN source_files AS own ON own.id = r.file_id
    WHERE r.id = stub_registrations.id
    ORDER BY u.kind = 'kernel',
             u.file_id <> r.file_id AND (u.is_anonymous OR u.signature GLOB 'static *')
                 AND (f.path GLOB '*.c*' AND f.path NOT GLOB '*.cuh' OR f.path GLOB '*.mm'),
             e.depth, u.file_id <> r.file_id,
             rtrim(f.path, replace(f.path, '/', '')) <> rtrim(own.path, replace(own.path, '/', '')),
             u.line - u.end_line, f.path, u.line
    LIMIT 1)
WHERE kernel NOT IN ('nullptr', 'lambda');

-- What is left stands in a namespace that a using-directive or an alias names, or under another
-- than the registration's: the only function of that name in the same file.
UPDATE stub_registrations SET function_id = (
    SELECT CASE WHEN count(DISTINCT u.name) = 1 THEN min(u.id) END FROM functions AS u
    WHERE u.file_id = stub_registrations.file_id
      AND substr(u.name, -length(stub_registrations.kernel) - 2) = '::' || stub_registrations.kernel)
WHERE function_id IS NULL AND kernel NOT IN ('nullptr', 'lambda');

UPDATE stub_registrations SET kernel = coalesce(
    (SELECT u.name FROM functions AS u WHERE u.id = function_id),
    CASE kernel WHEN 'lambda' THEN CASE scope WHEN '' THEN '' ELSE scope || '::' END || 'lambda' END,
    kernel)
WHERE kernel <> 'nullptr';

-- torchgen/dest/ufunc.py registers generated kernels with a stub of the operator's name; what is
-- written of them is the inner loop (aten/src/ATen/native/ufunc): its scalar overload comes first.
INSERT INTO stub_registrations (stub, scope, backend, kernel, form, function_id, file_id, line)
SELECT
    'at::native::' || o.base || '_stub', 'at::native', r.value, l.name, 'ufunc_inner_loop',
    (SELECT u.id FROM functions AS u WHERE u.name = l.name ORDER BY u.file_id, u.line LIMIT 1),
    o.file_id, o.line
FROM (SELECT DISTINCT operator_id,
          'at::native::ufunc::' || rtrim(substr(value, 1, instr(value || '(', '(') - 1)) AS name
      FROM operator_fields WHERE field = 'ufunc_inner_loop') AS l
JOIN operators AS o ON o.id = l.operator_id AND o.file_id IS NOT NULL
JOIN torchgen_rules AS r ON r.name = 'ufunc_dispatch_key'
-- An installed package has none of it.
WHERE EXISTS (SELECT 1 FROM functions AS u WHERE u.name = l.name)
ORDER BY o.id, r.value, l.name;

-- The calling function: the innermost whose lines hold the use; of those that one macro's use
-- makes, the one that the text names.
UPDATE stub_callers SET function_id = (
    SELECT u.id FROM stub_callers AS c
    JOIN functions AS u
      ON u.file_id = c.file_id AND u.line <= c.line AND u.end_line >= c.line
    WHERE c.id = stub_callers.id
    ORDER BY u.name = c.function DESC, u.line DESC, u.id LIMIT 1);

UPDATE stub_callers SET function = (SELECT u.name FROM functions AS u WHERE u.id = function_id)
WHERE function_id IS NOT NULL;

INSERT INTO coverage (layer, file, status, detail)
SELECT 'stubs', f.path, 'partial',
       r.form || '(' || r.stub || ') at line ' || r.line || ': the kernel ' || r.kernel
       || ' is not defined in the tree'
FROM stub_registrations AS r
JOIN source_files AS f ON f.id = r.file_id
WHERE r.function_id IS NULL AND r.kernel <> 'nullptr' AND r.kernel_line IS NULL
ORDER BY r.id;
