-- What lambdas call that stand for something else than the function around them: in the text it is that function's.

-- What Python was not seen to use is known by a binding: the one that tools take for its name.
CREATE TEMP TABLE standing_lambdas AS
SELECT b.file_id, b.line, b.stop, b.function_id,
       coalesce((SELECT n.id * 16 + 6 FROM python_natives AS n WHERE n.name = b.name),
                (SELECT o.id * 16 + 7 FROM bindings AS o WHERE o.python_name = b.name
                 ORDER BY o.function_id IS NULL, o.id LIMIT 1)) AS node
FROM temp.bound_lambdas AS b;

-- One that is registered as an operator's kernel (torch/library.h: `Library::impl` takes what a CppFunction can be made
-- from) ends before the next statement of its block, or with the block.
INSERT INTO standing_lambdas
SELECT r.file_id, r.line,
       coalesce((SELECT min(n.line) FROM registrations AS n WHERE n.file_id = r.file_id AND n.line > r.line) - 1, 1 << 40),
       u.id, d.operator_id * 16 + 1
FROM registrations AS r
CROSS JOIN dispatch_registrations AS x ON x.registration_id = r.id
CROSS JOIN dispatch AS d ON d.id = x.dispatch_id
CROSS JOIN functions AS u ON u.file_id = r.file_id AND r.line BETWEEN u.line AND u.end_line
WHERE r.kernel_form = 'lambda' AND r.origin = 'impl' AND r.kind IN ('impl', 'def');

-- A function that binds has thousands of calls: by their lines they are found at once. What is made of classes of other
-- libraries is not told: pybind11 has an object for whatever is given to Python.
CREATE TEMP TABLE around_lambdas AS
SELECT c.caller_id, c.line, c.callee_id,
       CASE WHEN c.kind = 'candidate' THEN CASE c.origin WHEN 'syntax' THEN 15 WHEN 'macro' THEN 36 ELSE 49 END
            ELSE CASE c.origin WHEN 'syntax' THEN 46 WHEN 'macro' THEN 48 ELSE 47 END END AS how
FROM (SELECT DISTINCT function_id FROM temp.standing_lambdas) AS w
CROSS JOIN calls AS c ON c.caller_id = w.function_id
WHERE (c.kind IN ('call', 'virtual', 'candidate') OR (c.kind = 'constructor' AND EXISTS (
           SELECT 1 FROM functions AS u JOIN source_files AS f ON f.id = u.file_id
           WHERE u.id = c.callee_id AND f.kind <> 'external')))
  AND c.callee_id NOT IN (SELECT function_id FROM boilerplate_functions)
  AND NOT EXISTS (SELECT 1 FROM ambiguous_calls AS a WHERE a.callee_id = c.callee_id AND a.caller_id = c.caller_id);
CREATE INDEX temp.around_lambdas_line ON around_lambdas (caller_id, line);

INSERT OR IGNORE INTO edges (target, source, kind_id, file_id, line, steps)
SELECT c.callee_id * 16, l.node, c.how, l.file_id, min(c.line), 1
FROM temp.standing_lambdas AS l
CROSS JOIN temp.around_lambdas AS c ON c.caller_id = l.function_id AND c.line BETWEEN l.line AND l.stop
-- What registers stands on the line on which a kernel begins, and is none of its calls: `m.impl(…, [](Tensor x) {`.
WHERE l.node & 15 <> 1 OR c.callee_id NOT IN (
    SELECT o.id FROM source_files AS f CROSS JOIN functions AS o ON o.file_id = f.id
    WHERE f.path = 'torch/library.h' OR f.path GLOB 'aten/src/ATen/core/op_registration/*')
GROUP BY c.callee_id, l.node, c.how, l.file_id
ORDER BY 1, 2, 3;

DROP TABLE temp.standing_lambdas;
DROP TABLE temp.around_lambdas;
DROP VIEW temp.bound_lambdas;
