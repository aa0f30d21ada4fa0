-- name: definitions
-- Where are the kernels of dispatch entries written? The one that is built first; one in Python has no id.
SELECT k.dispatch_id, u.id, f.path, u.line, k.is_primary
FROM json_each(:entries) AS e
CROSS JOIN dispatch_kernels AS k ON k.dispatch_id = e.value
JOIN functions AS u ON u.id = k.function_id
JOIN source_files AS f ON f.id = u.file_id
UNION ALL
SELECT l.dispatch_id, NULL, f.path, r.kernel_line, 1
FROM json_each(:entries) AS e
CROSS JOIN dispatch_registrations AS l ON l.dispatch_id = e.value
JOIN registrations AS r ON r.id = l.registration_id
JOIN source_files AS f ON f.id = r.kernel_file_id
ORDER BY 5 DESC, 3, 4

-- name: lambdas
-- What do lambdas call that are registered as kernels of dispatch entries? Each ends before the next statement.
SELECT DISTINCT l.dispatch_id, u.id, u.name, f.path, u.line, cf.path AS call_path, x.line AS call_line
FROM json_each(:entries) AS e
CROSS JOIN dispatch AS d ON d.id = e.value
CROSS JOIN dispatch_registrations AS l ON l.dispatch_id = d.id
CROSS JOIN registrations AS r ON r.id = l.registration_id AND r.kernel_form = 'lambda'
CROSS JOIN edges AS x ON x.source = d.operator_id * 16 + 1 AND x.target & 15 = 0 AND x.file_id = r.file_id
 AND x.line >= r.line
 AND x.line < coalesce((SELECT min(n.line) FROM registrations AS n WHERE n.file_id = r.file_id AND n.line > r.line),
                       1 << 40)
CROSS JOIN functions AS u ON u.id = x.target >> 4
CROSS JOIN source_files AS f ON f.id = u.file_id
CROSS JOIN source_files AS cf ON cf.id = x.file_id
WHERE x.kind_id IN (SELECT id FROM edge_kinds WHERE kind = 'call')
ORDER BY l.dispatch_id, x.line, u.id

-- name: replaced
-- What does Python register in the place of kernels?
SELECT r.dispatch_id, d.kernel, coalesce(kf.path, f.path) AS path, coalesce(g.kernel_line, d.line) AS line
FROM json_each(:entries) AS e
CROSS JOIN dispatch_replacements AS r ON r.dispatch_id = e.value
JOIN dispatch AS d ON d.id = r.by_dispatch_id
LEFT JOIN dispatch_registrations AS l ON l.dispatch_id = d.id
LEFT JOIN registrations AS g ON g.id = l.registration_id
LEFT JOIN source_files AS kf ON kf.id = g.kernel_file_id
LEFT JOIN source_files AS f ON f.id = d.file_id

-- name: stubs
-- Which DispatchStubs do these functions call, themselves or through a helper, or helpers of that in their own
-- files, and which kernels are registered with them? Where a template decides which overload is called, clang tells
-- those that can be; what may be one to the text may as well be a variable of that name, but for overloads of the function
-- that calls them: the one for a Tensor's learning rate calls that for a number (aten/src/ATen/native/FusedAdam.cpp).
-- `devices` has a line for each call: what it names as the device. So many helpers, themselves or of their own files, may be before one of another file that calls a stub.
WITH RECURSIVE files (id) AS MATERIALIZED (
    SELECT DISTINCT u.file_id FROM json_each(:functions) AS f CROSS JOIN functions AS u ON u.id = f.value
),
own (id, depth) AS (
    SELECT value, 0 FROM json_each(:functions)
    UNION
    SELECT c.callee_id, o.depth + 1
    FROM own AS o
    CROSS JOIN calls AS c ON c.caller_id = o.id AND c.kind IN ('call', 'candidate')
    LEFT JOIN stub_functions AS n ON n.function_id = c.callee_id
    -- Without the hint SQLite builds a Bloom filter over all calls for a handful of rows.
    WHERE unlikely(o.depth < 3) AND (n.calls IS NOT NULL OR o.depth < :helpers)
      AND (c.kind = 'call' OR (c.origin = 'clang'
               OR (SELECT u.name FROM functions AS u WHERE u.id = o.id) = (SELECT u.name FROM functions AS u WHERE u.id = c.callee_id))
           AND NOT EXISTS (
               SELECT 1 FROM ambiguous_calls AS a WHERE a.callee_id = c.callee_id AND a.caller_id = c.caller_id))
      AND (o.depth + n.calls <= :helpers OR (SELECT u.file_id FROM functions AS u WHERE u.id = c.callee_id) IN (SELECT id FROM files))
),
used (stub, depth, devices) AS (
    SELECT s.stub, min(own.depth), group_concat(coalesce(s.device, ''), char(10))
    FROM own CROSS JOIN stub_callers AS s ON s.function_id = own.id
    GROUP BY s.stub
)
SELECT DISTINCT s.stub, s.backend, used.devices, s.kernel, s.function_id,
       coalesce(CASE WHEN s.kernel_line IS NOT NULL THEN rf.path END, kf.path) AS kernel_file,
       coalesce(s.kernel_line, u.line) AS kernel_line,
       rf.path AS registered_file, s.line AS registered_line
FROM used
CROSS JOIN stub_registrations AS s ON s.stub = used.stub
JOIN source_files AS rf ON rf.id = s.file_id
LEFT JOIN functions AS u ON u.id = s.function_id
LEFT JOIN source_files AS kf ON kf.id = u.file_id
WHERE s.kernel <> 'nullptr'
ORDER BY used.depth, s.stub, s.backend, rf.path, s.line
LIMIT 200

-- name: tables
-- Which functions may some run that they call through a table of function pointers? To the text a virtual call of what
-- is no method.
SELECT u.name AS kernel, uf.path AS kernel_file, u.line AS kernel_line, f.path, c.line
FROM json_each(:functions) AS w
CROSS JOIN calls AS c ON c.caller_id = w.value AND c.kind = 'virtual' AND c.origin <> 'clang'
JOIN functions AS u ON u.id = c.callee_id AND u.kind = 'function'
JOIN source_files AS uf ON uf.id = u.file_id
JOIN functions AS caller ON caller.id = c.caller_id
JOIN source_files AS f ON f.id = caller.file_id
ORDER BY c.line, u.id

-- name: overrides
-- Which methods may some functions run that call a virtual one, themselves or through other kernels in their own files:
-- `all_reduce` leaves it to `all_reduce_` (torch/csrc/distributed/c10d/Functional.cpp)? Not what all tensors are asked for
-- (c10; in ATen/core what some answer without a call, as a quantizer its scheme, while `quantize` is work), nor what more
-- than `most` override: the bases of structured kernels; nor what stands in no file of the tree, or overrides that:
-- `std::exception::what` is asked for a warning. Nor what only tests override. A base that calls an operator is one that
-- may run: `ProcessGroup::allreduce` (torch/csrc/distributed/c10d/ProcessGroup.hpp). Nor what a structured kernel
-- calls on itself: what derives from its class is generated. To the text, which keeps no
-- declarations, all that may run are called in one line; then no base is told. So it is where only one may run, of a
-- class that has a base (`XNNPackConv2dOpContext::run`).
-- What is looked up by its id stands in subqueries: of joins SQLite builds Bloom filters over all functions for a handful.
WITH RECURSIVE own (id, file_id, depth) AS (
    SELECT u.id, u.file_id, 0 FROM json_each(:functions) AS w CROSS JOIN functions AS u ON u.id = w.value
    UNION
    SELECT c.callee_id, o.file_id, o.depth + 1
    FROM own AS o
    CROSS JOIN calls AS c ON c.caller_id = o.id AND c.kind = 'call'
    WHERE unlikely(o.depth < :calls)
      AND EXISTS (SELECT 1 FROM dispatch_kernels AS k WHERE k.function_id = c.callee_id)
      AND (SELECT u.file_id FROM functions AS u WHERE u.id = c.callee_id) = o.file_id
),
asked (caller_id, line, function_id, origin, path, name, last) AS MATERIALIZED (
    SELECT c.caller_id, c.line, c.callee_id, c.origin,
           (SELECT f.path FROM functions AS u JOIN source_files AS f ON f.id = u.file_id WHERE u.id = c.callee_id),
           (SELECT u.name FROM functions AS u WHERE u.id = c.callee_id),
           (SELECT u.last FROM functions AS u WHERE u.id = c.callee_id)
    FROM (SELECT DISTINCT id FROM own) AS w
    CROSS JOIN calls AS c ON c.caller_id = w.id AND c.kind = 'virtual'
    WHERE unlikely(w.id) AND (SELECT u.kind FROM functions AS u WHERE u.id = c.callee_id) = 'method'
      AND (SELECT u.kind FROM functions AS u WHERE u.id = w.id) <> 'structured'
),
virtual (caller_id, line, function_id, name, is_core, is_one, is_derived, overriding) AS MATERIALIZED (
    SELECT a.caller_id, a.line, a.function_id, a.name, a.path GLOB '*/ATen/core/*',
           a.origin = 'clang' OR count(*) OVER (PARTITION BY a.caller_id, a.line, a.last) = 1,
           a.origin <> 'clang' AND EXISTS (
               SELECT 1 FROM cpp_classes AS c CROSS JOIN cpp_bases AS b ON b.class_id = c.id
               WHERE c.name = rtrim(substr(a.name, 1, length(a.name) - length(a.last)), ':')),
           -- What thousands override is not listed to be left out for it.
           (SELECT count(*) FROM (
                SELECT 1 FROM edges AS n
                CROSS JOIN edge_kinds AS k ON k.id = n.kind_id AND k.kind = 'virtual'
                WHERE n.source = a.function_id * 16 AND n.target & 15 = 0 LIMIT :most + 1))
    FROM asked AS a
    WHERE a.path NOT GLOB 'c10/*'
      AND NOT EXISTS (
          WITH RECURSIVE up (id) AS (
              SELECT a.function_id
              UNION
              SELECT e.source >> 4
              FROM up
              CROSS JOIN edges AS e ON e.target = up.id * 16 AND e.source & 15 = 0
              WHERE unlikely(up.id) AND e.kind_id IN (SELECT id FROM edge_kinds WHERE kind = 'virtual')
          )
          SELECT 1 FROM up
          WHERE (SELECT f.kind FROM functions AS u JOIN source_files AS f ON f.id = u.file_id WHERE u.id = up.id) = 'external')
),
called (caller_id, line, base, function_id, is_core) AS (
    SELECT v.caller_id, v.line, v.name, e.target >> 4, v.is_core
    FROM virtual AS v
    CROSS JOIN edges AS e ON e.source = v.function_id * 16 AND e.target & 15 = 0
    CROSS JOIN edge_kinds AS k ON k.id = e.kind_id AND k.kind = 'virtual'
    WHERE v.is_one AND v.overriding <= :most
    UNION
    SELECT v.caller_id, v.line, '', v.function_id, v.is_core FROM virtual AS v
    WHERE NOT v.is_one OR (v.is_derived AND NOT v.overriding)
    UNION
    SELECT v.caller_id, v.line, v.name, v.function_id, v.is_core
    FROM virtual AS v
    WHERE v.is_one AND v.overriding <= :most AND EXISTS (
        SELECT 1 FROM edges AS e CROSS JOIN edge_kinds AS k ON k.id = e.kind_id AND k.kind IN ('operator', 'handle')
        WHERE e.source = v.function_id * 16 AND e.target & 15 = 1)
    UNION -- clang tells of what the next base overrides
    SELECT c.caller_id, c.line, c.base, e.target >> 4, c.is_core
    FROM called AS c
    CROSS JOIN edges AS e ON e.source = c.function_id * 16 AND e.target & 15 = 0
    CROSS JOIN edge_kinds AS k ON k.id = e.kind_id AND k.kind = 'virtual'
    -- Without the hint SQLite builds a Bloom filter over all edges for a handful of rows.
    WHERE unlikely(c.base <> '')
),
counted (caller_id, line, base, function_id, those, are_working) AS (
    SELECT caller_id, line, base, function_id, count(*) OVER same,
           min(NOT is_core OR EXISTS (SELECT 1 FROM calls AS n WHERE n.caller_id = function_id)) OVER same
    FROM called WINDOW same AS (PARTITION BY caller_id, base, line)
)
SELECT a.base, u.id AS function_id, u.name AS kernel, uf.path AS kernel_file, u.line AS kernel_line, f.path, a.line
FROM counted AS a
JOIN functions AS u ON u.id = a.function_id
JOIN source_files AS uf ON uf.id = u.file_id
JOIN functions AS caller ON caller.id = a.caller_id
JOIN source_files AS f ON f.id = caller.file_id
WHERE a.those <= :most AND a.are_working AND (uf.path NOT GLOB 'test/*' OR f.path GLOB 'test/*')
ORDER BY a.line, a.base, u.name, u.id

-- name: specialization
-- Which specialization of a class template does a method stand in?
SELECT s.arguments FROM functions AS u
JOIN cpp_classes AS c
  ON c.name = substr(u.name, 1, length(u.name) - length(u.last) - 2) AND c.file_id = u.file_id
 AND u.line BETWEEN c.line AND c.end_line
JOIN class_specializations AS s
  ON s.file_id = c.file_id AND s.line = c.line AND s.name = substr(c.name, -length(s.name))
WHERE u.id = :id ORDER BY c.line DESC LIMIT 1

-- name: inner_loops
-- Which inner loops is the generated kernel of a ufunc made of?
SELECT s.stub, s.backend, s.kernel, kf.path AS kernel_file, u.line AS kernel_line,
       rf.path AS registered_file, s.line AS registered_line
FROM operators AS o
JOIN stub_registrations AS s
    ON s.stub = 'at::native::' || o.base || '_stub' AND s.form = 'ufunc_inner_loop'
    AND s.backend IN (SELECT value FROM json_each(:keys))
JOIN source_files AS rf ON rf.id = s.file_id
JOIN functions AS u ON u.id = s.function_id
JOIN source_files AS kf ON kf.id = u.file_id
WHERE o.id = :operator_id ORDER BY s.id

-- name: launches
-- Which GPU kernels do these functions launch, themselves or through the functions they call? `is_open` where the
-- way there goes through one of several overloads.
WITH RECURSIVE down (id, depth, is_open) AS (
    SELECT value, 0, :is_open FROM json_each(:functions)
    UNION
    SELECT c.callee_id, d.depth + 1, d.is_open OR c.kind = 'candidate'
    FROM down AS d
    CROSS JOIN calls AS c
      ON c.caller_id = d.id AND c.kind IN ('call', 'launch', 'candidate', 'reference', 'constructor')
    CROSS JOIN launching_functions AS n ON n.function_id = c.callee_id
    -- Without the hint SQLite builds a Bloom filter over all calls for a handful of rows.
    WHERE unlikely(d.depth < :calls)
      AND (c.kind <> 'candidate' OR NOT EXISTS (SELECT 1 FROM ambiguous_calls AS a
                                                WHERE a.callee_id = c.callee_id AND a.caller_id = c.caller_id))
)
SELECT DISTINCT l.kernel, l.platform, l.kind, f.path, l.line, l.handed_to, l.launcher_id, b.line AS begin, k.name AS known_kernel,
       CASE WHEN l.handed_to IS NOT NULL THEN
           (SELECT count(*) FROM launch_kernels AS x WHERE x.launch_id = l.id) END AS candidates,
       coalesce(kf.path, cf.path) AS kernel_file, coalesce(k.line, c.line) AS kernel_line, wanted.is_open
FROM (SELECT id, min(depth) AS depth, min(is_open) AS is_open FROM down GROUP BY id) AS wanted
CROSS JOIN launches AS l ON l.launcher_id = wanted.id AND l.platform = :platform
JOIN source_files AS f ON f.id = l.file_id
LEFT JOIN functions AS b ON b.id = l.launcher_id AND b.file_id = l.file_id
LEFT JOIN launch_kernels AS lk
    ON lk.launch_id = l.id AND (lk.is_primary OR lk.kernel_id = CASE WHEN l.handed_to IS NOT NULL THEN
        (SELECT min(x.kernel_id) FROM launch_kernels AS x WHERE x.launch_id = l.id) END)
LEFT JOIN kernels AS k ON k.id = lk.kernel_id
LEFT JOIN source_files AS kf ON kf.id = k.file_id
LEFT JOIN functions AS c ON c.id = l.callee_id
LEFT JOIN source_files AS cf ON cf.id = c.file_id
ORDER BY wanted.depth, f.path, l.line
LIMIT 60

-- name: ways
-- Which calls lead from some functions towards launches?
WITH RECURSIVE down (id, depth) AS (
    SELECT value, 0 FROM json_each(:functions)
    UNION
    SELECT c.callee_id, d.depth + 1
    FROM down AS d
    CROSS JOIN calls AS c
      ON c.caller_id = d.id AND c.kind IN ('call', 'launch', 'candidate', 'reference', 'constructor')
    CROSS JOIN launching_functions AS n ON n.function_id = c.callee_id
    WHERE unlikely(d.depth < :calls)
)
SELECT DISTINCT c.caller_id, c.callee_id, c.line, u.line AS begin, f.path
FROM (SELECT id, min(depth) AS depth FROM down GROUP BY id) AS d
CROSS JOIN calls AS c ON c.caller_id = d.id AND c.kind IN ('call', 'launch', 'candidate', 'reference', 'constructor')
CROSS JOIN launching_functions AS n ON n.function_id = c.callee_id
CROSS JOIN functions AS u ON u.id = c.caller_id
CROSS JOIN source_files AS f ON f.id = u.file_id
WHERE d.depth < :calls
ORDER BY d.depth, c.caller_id, c.callee_id, c.line
LIMIT :most

-- name: farther
-- Which functions launch a GPU kernel farther down, by way of calls and of what is handed to a template inside
-- GPU files? Not what is inside of helpers that launch for others.
WITH RECURSIVE
helpers (id) AS MATERIALIZED (
    SELECT DISTINCT callee_id FROM launches WHERE callee_id IS NOT NULL AND kind <> 'library'),
down (id, depth, is_open) AS (
    SELECT value, 0, 0 FROM json_each(:functions)
    UNION
    SELECT c.callee_id, d.depth + 1, d.is_open OR c.kind = 'candidate'
    FROM down AS d
    CROSS JOIN calls AS c ON c.caller_id = d.id AND c.kind IN ('call', 'launch', 'candidate', 'reference')
    CROSS JOIN gpu_launching_functions AS n ON n.function_id = c.callee_id
    WHERE unlikely(d.depth < :calls)
      AND (SELECT kind <> 'constructor' FROM functions WHERE id = c.callee_id)
      AND c.callee_id NOT IN (SELECT id FROM helpers)
      AND (c.kind <> 'candidate' OR NOT EXISTS (SELECT 1 FROM ambiguous_calls AS a
                                                WHERE a.callee_id = c.callee_id AND a.caller_id = c.caller_id))
    UNION
    SELECT e.target >> 4, d.depth + 1, d.is_open
    FROM down AS d
    CROSS JOIN edges AS e ON e.source = d.id * 16 AND e.target & 15 = 0
    CROSS JOIN gpu_launching_functions AS n ON n.function_id = e.target >> 4
    WHERE unlikely(d.depth < :calls) AND e.kind_id IN (SELECT id FROM edge_kinds WHERE kind = 'template')
)
SELECT d.id, min(d.is_open) AS is_open
FROM down AS d
WHERE EXISTS (SELECT 1 FROM launches AS l WHERE l.launcher_id = d.id AND l.platform = :platform)
GROUP BY d.id
ORDER BY min(d.depth), d.id LIMIT 60
