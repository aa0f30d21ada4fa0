-- Which functions launch a GPU kernel, themselves or through at most three calls? A walk down
-- from a kernel's function needs to look at these alone.

DELETE FROM launching_functions;

-- Helpers that launch for everybody, gpu_kernel and its like: what they do inside is no news.
CREATE TEMP TABLE launch_helpers AS
SELECT callee_id AS id FROM launches WHERE callee_id IS NOT NULL
GROUP BY callee_id HAVING count(*) > 10;

INSERT INTO launching_functions (function_id, calls)
WITH RECURSIVE up (id, depth) AS (
    SELECT launcher_id, 0 FROM launches
    WHERE launcher_id IS NOT NULL AND launcher_id NOT IN (SELECT id FROM temp.launch_helpers)
    UNION
    SELECT c.caller_id, u.depth + 1
    FROM up AS u JOIN calls AS c ON c.callee_id = u.id AND c.kind IN ('call', 'launch')
    WHERE u.depth < 3 AND c.caller_id NOT IN (SELECT id FROM temp.launch_helpers)
)
SELECT id, min(depth) FROM up GROUP BY id ORDER BY id;

DROP TABLE temp.launch_helpers;
