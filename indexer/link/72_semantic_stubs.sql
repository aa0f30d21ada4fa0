-- Who calls a DispatchStub, and which function is its kernel, where clang knows it better than the text?

CREATE TEMP TABLE stub_calls AS
SELECT u.id, u.name, c.caller_id, c.line
FROM functions AS u
JOIN calls AS c ON c.callee_id = u.id AND c.code & 7 = 5
-- A stub is a variable; without saying so, every call is looked at.
WHERE u.id IN (SELECT id FROM functions WHERE kind IN ('variable', 'stub'));

CREATE TEMP TABLE stub_variables AS SELECT DISTINCT id, name FROM temp.stub_calls;

UPDATE functions SET kind = 'stub' WHERE id IN (SELECT id FROM temp.stub_variables);

-- Calls that the text did not show: through macros, or from a function it could not name.
CREATE TEMP TABLE told_callers AS SELECT function_id, stub FROM stub_callers WHERE function_id IS NOT NULL;
CREATE INDEX temp.told_callers_function ON told_callers (function_id, stub);

INSERT INTO stub_callers (stub, scope, function, function_id, how, device, file_id, line)
SELECT c.name, '', u.name, u.id, 'call', NULL, u.file_id, c.line
FROM temp.stub_calls AS c
JOIN functions AS u ON u.id = c.caller_id
WHERE NOT EXISTS (SELECT 1 FROM temp.told_callers AS s WHERE s.stub = c.name AND s.function_id = u.id)
ORDER BY c.name, u.id, c.line;

UPDATE stub_callers SET function_id = (
    SELECT min(c.caller_id) FROM temp.stub_calls AS c
    JOIN functions AS u ON u.id = c.caller_id
    WHERE c.name = stub_callers.stub AND c.line = stub_callers.line AND u.file_id = stub_callers.file_id)
WHERE function_id IS NULL;

-- A registration's kernel among overloads: the one that clang saw at the same place.
CREATE TEMP TABLE seen_kernels AS
SELECT k.file_id, k.line, k.stub, k.function_id, u.name
FROM semantic_stub_kernels AS k JOIN functions AS u ON u.id = k.function_id;
CREATE INDEX temp.seen_kernels_place ON seen_kernels (file_id, line);

CREATE TEMP TABLE seen_registrations AS
SELECT r.id, min(k.function_id) AS function_id
FROM stub_registrations AS r JOIN temp.seen_kernels AS k ON k.file_id = r.file_id AND k.line = r.line
WHERE r.kernel NOT IN ('nullptr', 'lambda')
  AND (r.stub = k.stub OR substr(r.stub, -length(k.stub) - 2) = '::' || k.stub)
  AND (k.name = r.kernel OR substr(k.name, -length(r.kernel) - 2) = '::' || r.kernel)
GROUP BY r.id;

UPDATE stub_registrations SET function_id = x.function_id
FROM temp.seen_registrations AS x WHERE x.id = stub_registrations.id;

DROP TABLE temp.seen_registrations;
DROP TABLE temp.seen_kernels;
DROP TABLE temp.told_callers;
DROP TABLE temp.stub_variables;
DROP TABLE temp.stub_calls;
