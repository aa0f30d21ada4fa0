-- Which functions launch a GPU kernel, themselves or through at most four calls? A walk down
-- from a kernel's function needs to look at these alone.

DELETE FROM launching_functions;

-- Helpers that launch for everybody, gpu_kernel and its like: what they do inside is no news.
CREATE TEMP TABLE launch_helpers AS
SELECT callee_id AS id FROM launches WHERE callee_id IS NOT NULL AND kind <> 'library'
GROUP BY callee_id HAVING count(*) > 10;

-- Which of a function's overloads is called may be open: that one of them is, is not. What making an object comes to is
-- not followed, whether its constructor is known or one of several; but for Vulkan's, whose objects choose their shaders
-- when they are made and run them later (Conv2dPackedContext, aten/src/ATen/native/vulkan/ops/Convolution.cpp).
INSERT INTO launching_functions (function_id, calls)
WITH RECURSIVE up (id, depth, is_chosen) AS (
    SELECT launcher_id, 0, l.platform = 'vulkan' FROM launches AS l
    JOIN functions AS f ON f.id = launcher_id AND (f.kind <> 'constructor' OR l.platform = 'vulkan')
    WHERE launcher_id NOT IN (SELECT id FROM temp.launch_helpers)
    UNION
    SELECT c.caller_id, u.depth + 1, u.is_chosen
    FROM up AS u
    JOIN calls AS c
      ON c.callee_id = u.id AND c.kind IN ('call', 'launch', 'candidate', 'reference', 'constructor')
    JOIN functions AS f ON f.id = c.caller_id AND (f.kind <> 'constructor' OR u.is_chosen)
    WHERE unlikely(u.depth < 4) AND c.caller_id NOT IN (SELECT id FROM temp.launch_helpers)
      AND (c.kind <> 'candidate' OR NOT EXISTS (SELECT 1 FROM ambiguous_calls AS a
                                                WHERE a.callee_id = c.callee_id AND a.caller_id = c.caller_id))
)
SELECT id, min(depth) FROM up GROUP BY id ORDER BY id;

DROP TABLE temp.launch_helpers;

-- Which functions call a DispatchStub, themselves or through at most three calls in their own file? The same for
-- a walk down to stubs, with the overloads that clang says a template may call (`stubs` of
-- torchtalk/tools/kernels/entries.sql): `qadd_scalar` has `_add_scalar_out` for each of its template's arguments.
DELETE FROM stub_functions;

INSERT INTO stub_functions (function_id, calls)
WITH RECURSIVE up (id, file_id, depth) AS (
    SELECT u.id, u.file_id, 0 FROM stub_callers AS s JOIN functions AS u ON u.id = s.function_id
    UNION
    SELECT c.caller_id, p.file_id, p.depth + 1
    FROM up AS p
    JOIN calls AS c ON c.callee_id = p.id AND c.kind IN ('call', 'candidate')
    JOIN functions AS u ON u.id = c.caller_id AND u.file_id = p.file_id
    WHERE unlikely(p.depth < 3)
      AND (c.kind = 'call' OR c.origin = 'clang' AND NOT EXISTS (
               SELECT 1 FROM ambiguous_calls AS a WHERE a.callee_id = c.callee_id AND a.caller_id = c.caller_id))
)
SELECT id, min(depth) FROM up GROUP BY id ORDER BY id;
