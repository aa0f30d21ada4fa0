-- Who calls a DispatchStub, and which function is its kernel, where clang knows it better than the text?

CREATE TEMP TABLE stub_variables AS
SELECT DISTINCT u.id, u.name
FROM functions AS u
JOIN calls AS c ON c.callee_id = u.id AND c.kind = 'stub'
-- A stub is a variable; without saying so, every call is looked at.
WHERE u.id IN (SELECT id FROM functions WHERE kind IN ('variable', 'stub'));

UPDATE functions SET kind = 'stub' WHERE id IN (SELECT id FROM temp.stub_variables);

-- Calls that the text did not show: through macros, or from a function it could not name.
INSERT INTO stub_callers (stub, scope, function, function_id, how, device, file_id, line)
SELECT v.name, '', u.name, u.id, 'call', NULL, u.file_id, c.line
FROM calls AS c
JOIN temp.stub_variables AS v ON v.id = c.callee_id
JOIN functions AS u ON u.id = c.caller_id
WHERE c.kind = 'stub'
  AND NOT EXISTS (SELECT 1 FROM stub_callers AS s WHERE s.stub = v.name AND s.function_id = u.id)
ORDER BY v.name, u.id, c.line;

UPDATE stub_callers SET function_id = (
    SELECT min(c.caller_id) FROM calls AS c
    JOIN temp.stub_variables AS v ON v.id = c.callee_id
    JOIN functions AS u ON u.id = c.caller_id
    WHERE v.name = stub_callers.stub AND c.line = stub_callers.line AND u.file_id = stub_callers.file_id)
WHERE function_id IS NULL;

-- A registration's kernel among overloads: the one that clang saw at the same place.
UPDATE stub_registrations SET function_id = (
    SELECT k.function_id FROM semantic_stub_kernels AS k
    JOIN functions AS u ON u.id = k.function_id
    WHERE k.file_id = stub_registrations.file_id AND k.line = stub_registrations.line
      AND (stub_registrations.stub = k.stub OR substr(stub_registrations.stub, -length(k.stub) - 2) = '::' || k.stub)
      AND (u.name = stub_registrations.kernel OR substr(u.name, -length(stub_registrations.kernel) - 2) = '::' || stub_registrations.kernel)
    ORDER BY k.function_id LIMIT 1)
WHERE kernel NOT IN ('nullptr', 'lambda')
  AND EXISTS (
    SELECT 1 FROM semantic_stub_kernels AS k
    JOIN functions AS u ON u.id = k.function_id
    WHERE k.file_id = stub_registrations.file_id AND k.line = stub_registrations.line
      AND (stub_registrations.stub = k.stub OR substr(stub_registrations.stub, -length(k.stub) - 2) = '::' || k.stub)
      AND (u.name = stub_registrations.kernel OR substr(u.name, -length(stub_registrations.kernel) - 2) = '::' || stub_registrations.kernel));

DROP TABLE temp.stub_variables;
