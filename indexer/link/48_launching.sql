-- Which functions launch a GPU kernel, themselves or through at most four calls? A walk down
-- from a kernel's function needs to look at these alone.

-- What a __global__ function is called by launches it, also where the text does not show <<<…>>>.
UPDATE OR IGNORE calls SET code = code & 24 | 6  -- launch, of the same origin
WHERE kind = 'call' AND callee_id IN (SELECT id FROM functions WHERE kind = 'kernel');

-- Inside a template clang leaves a launch to be resolved; where there is but one kernel of the name, it is that one.
UPDATE OR IGNORE calls SET code = code & 24 | 6
WHERE kind = 'candidate' AND origin = 'clang' AND callee_id IN (SELECT id FROM functions WHERE kind = 'kernel')
  AND NOT EXISTS (SELECT 1 FROM calls AS o JOIN functions AS u ON u.id = o.callee_id
                  WHERE o.caller_id = calls.caller_id AND o.line = calls.line AND o.kind = 'candidate'
                    AND o.callee_id <> calls.callee_id AND u.kind = 'kernel');

-- Which candidates could be something else altogether?
DELETE FROM ambiguous_calls;

INSERT OR IGNORE INTO ambiguous_calls (callee_id, caller_id)
WITH candidates (caller_id, line, callee_id, name, last, origin) AS MATERIALIZED (
    SELECT c.caller_id, c.line, c.callee_id, u.name, replace(u.name, rtrim(u.name, replace(u.name, ':', '')), ''),
           c.origin
    FROM calls AS c
    JOIN functions AS u ON u.id = c.callee_id
    WHERE c.kind = 'candidate'
),
-- The candidates of one call share the last part of their name; those of two calls on a line do not. A lone one
-- of the text is a method of something whose type is not written; of clang's, the one function that a template sees.
several (caller_id, line, last) AS MATERIALIZED (
    SELECT caller_id, line, last FROM candidates
    GROUP BY caller_id, line, last HAVING min(name) <> max(name) OR (count(*) = 1 AND min(origin) <> 'clang')
)
SELECT c.callee_id, c.caller_id
FROM candidates AS c
JOIN several AS s ON s.caller_id = c.caller_id AND s.line = c.line AND s.last = c.last
-- Surely called from elsewhere in the same function.
WHERE NOT EXISTS (SELECT 1 FROM calls AS o WHERE o.caller_id = c.caller_id AND o.callee_id = c.callee_id
                  AND o.kind <> 'candidate')
ORDER BY 1, 2;

DELETE FROM launching_functions;

-- Helpers that launch for everybody, gpu_kernel and its like: what they do inside is no news.
CREATE TEMP TABLE launch_helpers AS
SELECT callee_id AS id FROM launches WHERE callee_id IS NOT NULL
GROUP BY callee_id HAVING count(*) > 10;

-- Which of a function's overloads is called may be open: that one of them is, is not.
INSERT INTO launching_functions (function_id, calls)
WITH RECURSIVE up (id, depth) AS (
    SELECT launcher_id, 0 FROM launches
    WHERE launcher_id IS NOT NULL AND launcher_id NOT IN (SELECT id FROM temp.launch_helpers)
    UNION
    SELECT c.caller_id, u.depth + 1
    FROM up AS u JOIN calls AS c ON c.callee_id = u.id AND c.kind IN ('call', 'launch', 'candidate')
    WHERE u.depth < 4 AND c.caller_id NOT IN (SELECT id FROM temp.launch_helpers)
      AND (c.kind <> 'candidate' OR NOT EXISTS (SELECT 1 FROM ambiguous_calls AS a
                                                WHERE a.callee_id = c.callee_id AND a.caller_id = c.caller_id))
)
SELECT id, min(depth) FROM up GROUP BY id ORDER BY id;

DROP TABLE temp.launch_helpers;

-- Which functions call a DispatchStub, themselves or through at most three calls in their own file? The same for
-- a walk down to stubs.
DELETE FROM stub_functions;

INSERT INTO stub_functions (function_id, calls)
WITH RECURSIVE up (id, file_id, depth) AS (
    SELECT u.id, u.file_id, 0 FROM stub_callers AS s JOIN functions AS u ON u.id = s.function_id
    UNION
    SELECT c.caller_id, p.file_id, p.depth + 1
    FROM up AS p
    JOIN calls AS c ON c.callee_id = p.id AND c.kind = 'call'
    JOIN functions AS u ON u.id = c.caller_id AND u.file_id = p.file_id
    WHERE p.depth < 3
)
SELECT id, min(depth) FROM up GROUP BY id ORDER BY id;
