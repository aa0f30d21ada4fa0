-- Which functions launch a GPU kernel, themselves or through at most three calls? A walk down
-- from a kernel's function needs to look at these alone.

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
    WHERE u.depth < 3 AND c.caller_id NOT IN (SELECT id FROM temp.launch_helpers)
      AND (c.kind <> 'candidate' OR NOT EXISTS (SELECT 1 FROM ambiguous_calls AS a
                                                WHERE a.callee_id = c.callee_id AND a.caller_id = c.caller_id))
)
SELECT id, min(depth) FROM up GROUP BY id ORDER BY id;

DROP TABLE temp.launch_helpers;
