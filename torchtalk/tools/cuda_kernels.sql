-- name: folders
-- How many GPU kernels, launches and launches by other means does each folder hold?
WITH counted (path, kernels, launches, others) AS (
    SELECT rtrim(rtrim(f.path, replace(f.path, '/', '')), '/'), 1, 0, 0
    FROM kernels AS k JOIN source_files AS f ON f.id = k.file_id
    WHERE k.is_definition
    UNION ALL
    SELECT rtrim(rtrim(f.path, replace(f.path, '/', '')), '/'), 0,
           l.kind IN ('launch', 'runtime', 'macro', 'pipeline', 'name'),
           l.kind NOT IN ('launch', 'runtime', 'macro', 'pipeline', 'name')
    FROM launches AS l JOIN source_files AS f ON f.id = l.file_id
)
SELECT path, sum(kernels) AS kernels, sum(launches) AS launches, sum(others) AS others,
       count(*) OVER () AS folders,
       sum(sum(kernels)) OVER () AS all_kernels,
       sum(sum(launches)) OVER () AS all_launches,
       sum(sum(others)) OVER () AS all_others
FROM counted
GROUP BY path
ORDER BY sum(launches) + sum(others) + sum(kernels) DESC, path
LIMIT :limit OFFSET :offset

-- name: operators
-- Whose implementations may a word mean: the operator of that name, and those with it in theirs?
SELECT o.name, lower(o.base) <> lower(:name) AS is_longer
FROM operators AS o
WHERE instr('_' || lower(o.base) || '_', '_' || lower(:name) || '_')
ORDER BY is_longer, o.id

-- name: implementations
-- The functions that these overloads have for a GPU or for any device, with the operator that each is one of, and
-- with the keys of those that dense tensors never reach (c10/core/DispatchKey.h, per-backend functionality keys). A
-- ufunc's kernel is generated and launches by gpu_kernel (torchgen/dest/ufunc.py, compute_ufunc_cuda_dtype_body).
WITH entries (position, packet, function_id, dispatch_key) AS (
    SELECT wanted.key, o.namespace || '::' || o.base, k.function_id, d.dispatch_key
    FROM json_each(:operators) AS wanted
    CROSS JOIN operators AS o ON o.name = wanted.value
    JOIN dispatch AS d ON d.operator_id = o.id
    JOIN dispatch_kernels AS k ON k.dispatch_id = d.id
    WHERE instr(d.dispatch_key, 'CUDA') OR d.dispatch_key GLOB '*MPS*' OR d.dispatch_key IN ('Metal', 'Vulkan')
       OR instr(d.dispatch_key, 'Composite')
    UNION ALL
    SELECT wanted.key, o.namespace || '::' || o.base, u.id, d.dispatch_key
    FROM json_each(:operators) AS wanted
    CROSS JOIN operators AS o ON o.name = wanted.value
    JOIN dispatch AS d ON d.operator_id = o.id
    CROSS JOIN functions AS u ON u.name = 'at::native::gpu_kernel'
    WHERE d.dispatch_key = 'CUDA' AND d.kernel GLOB 'at::native::ufunc_*' AND d.generated_by IS NOT NULL
)
SELECT function_id, packet,
       CASE WHEN NOT max(dispatch_key IN ('CUDA', 'MPS') OR instr(dispatch_key, 'Composite'))
            THEN group_concat(DISTINCT dispatch_key) END AS special
FROM entries
GROUP BY function_id, packet ORDER BY min(position), function_id

-- name: on_device
-- Which of some functions are kernels for a dispatch key?
SELECT DISTINCT k.function_id AS id
FROM json_each(:functions) AS w
CROSS JOIN dispatch_kernels AS k ON k.function_id = w.value
CROSS JOIN dispatch AS d ON d.id = k.dispatch_id AND d.dispatch_key = :key
ORDER BY 1

-- name: generated
-- Kernels for CUDA that torchgen writes when PyTorch is built, so that nothing of them stands in the tree.
SELECT DISTINCT d.kernel
FROM json_each(:operators) AS wanted
CROSS JOIN operators AS o ON o.name = wanted.value
JOIN dispatch AS d ON d.operator_id = o.id AND d.dispatch_key = 'CUDA'
WHERE d.generated_by IS NOT NULL
ORDER BY d.kernel

-- name: composite
-- Which of these operators have no kernel for CUDA of their own? One for MPS may stand beside a composite one, which is
-- what CUDA runs.
SELECT
    o.base,
    EXISTS (SELECT 1 FROM operators AS x JOIN dispatch AS d ON d.operator_id = x.id
            WHERE x.base = o.base AND x.namespace = 'aten' AND d.dispatch_key = 'MPS') AS has_mps
FROM json_each(:operators) AS wanted
CROSS JOIN operators AS o ON o.name = wanted.value AND o.namespace = 'aten'
GROUP BY o.base
HAVING NOT EXISTS (SELECT 1 FROM operators AS x JOIN dispatch AS d ON d.operator_id = x.id
                   WHERE x.base = o.base AND x.namespace = 'aten' AND d.dispatch_key = 'CUDA')
   AND (NOT has_mps
        OR EXISTS (SELECT 1 FROM operators AS x JOIN dispatch AS d ON d.operator_id = x.id
                   WHERE x.base = o.base AND x.namespace = 'aten' AND d.dispatch_key LIKE 'Composite%'))
ORDER BY min(wanted.key)

-- name: composite_places
-- Where do the composite kernels of an operator stand?
SELECT f.path, u.line
FROM operators AS o
JOIN dispatch AS d ON d.operator_id = o.id AND d.dispatch_key GLOB 'Composite*'
JOIN dispatch_kernels AS k ON k.dispatch_id = d.id
JOIN functions AS u ON u.id = k.function_id
JOIN source_files AS f ON f.id = u.file_id
WHERE o.namespace = 'aten' AND o.base = :base
ORDER BY o.id, u.id

-- name: keys
-- Which dispatch keys of a pattern has something in their tables?
SELECT DISTINCT dispatch_key FROM dispatch WHERE dispatch_key GLOB :pattern ORDER BY dispatch_key

-- name: overloads
SELECT name FROM operators WHERE namespace = 'aten' AND base = :base ORDER BY id

-- name: functions
SELECT id AS function_id, name AS packet FROM functions WHERE name = :name ORDER BY id

-- name: stub
-- The kernels that a DispatchStub has for a GPU, CUDA's first. A ufunc's, which torchgen registers, launches by gpu_kernel
-- (torchgen/dest/ufunc.py, compute_ufunc_cuda_dtype_body).
SELECT function_id, backend = 'MPS' AS is_later FROM stub_registrations
WHERE stub = :name AND backend IN ('CUDA', 'HIP', 'MPS') AND function_id IS NOT NULL
UNION
SELECT u.id, 0
FROM stub_registrations AS r
JOIN source_files AS f ON f.id = r.file_id AND f.kind = 'yaml'
CROSS JOIN functions AS u ON u.name = 'at::native::gpu_kernel'
WHERE r.stub = :name AND r.backend = 'CUDA'
ORDER BY 2, 1

-- name: steps
-- What leads on towards launches from some functions: through DispatchStubs, calls inside GPU files and what is handed to
-- templates; aside from these, calls of what has a stub elsewhere (_fft_fill_with_conjugate_symmetry_,
-- aten/src/ATen/native/SpectralOps.cpp).
SELECT w.value AS source, r.function_id AS target, 0 AS is_aside
FROM json_each(:ids) AS w
JOIN stub_callers AS s ON s.function_id = w.value
JOIN stub_registrations AS r ON r.stub = s.stub
WHERE r.function_id IS NOT NULL AND r.backend IN ('CUDA', 'HIP', 'MPS') AND NOT instr(coalesce(s.device, ''), 'CPU')
UNION ALL
SELECT w.value, c.callee_id, NOT (f.kind IN ('cuda', 'objc') OR instr(f.path, '/cuda/') OR instr(f.path, '/mps/') OR instr(f.path, '/vulkan/'))
FROM json_each(:ids) AS w
CROSS JOIN calls AS c ON c.caller_id = w.value
 AND (c.kind <> 'candidate' OR NOT EXISTS (SELECT 1 FROM ambiguous_calls AS a
                                           WHERE a.callee_id = c.callee_id AND a.caller_id = c.caller_id))
CROSS JOIN functions AS u ON u.id = c.callee_id
CROSS JOIN source_files AS f ON f.id = u.file_id
WHERE f.kind IN ('cuda', 'objc') OR instr(f.path, '/cuda/') OR instr(f.path, '/mps/') OR instr(f.path, '/vulkan/')
   OR EXISTS (SELECT 1 FROM stub_callers AS s WHERE s.function_id = c.callee_id)
UNION ALL
SELECT w.value, e.target >> 4, 0
FROM json_each(:ids) AS w
CROSS JOIN edges AS e ON e.source = w.value * 16 AND e.target & 15 = 0
WHERE e.kind_id IN (SELECT id FROM edge_kinds WHERE kind = 'template')

-- name: launched
-- Is there a launch of a kernel of this name, in full or by its end?
SELECT 1 FROM launches AS l
WHERE ltrim(l.kernel, ':') = ltrim(:kernel, ':') OR substr(l.kernel, -length(:kernel) - 2) = '::' || :kernel
LIMIT 1

-- name: sites
-- Launch sites of functions that are reached from what is asked for, each with its distance and what it is reached from,
-- CUDA's before Metal's, those of what is called like what is asked for before others; and, of a word, those whose kernel,
-- launcher or file has it. Launches of one kernel in one line, as a macro makes them for each instance of a template, are
-- one site. Vulkan's come last: its shaders are called like operators (`add`), so that their names say the least.
WITH
reached (id, depth, roots, is_other) AS (
    SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'),
           json_extract(value, '$[3]')
    FROM json_each(:reached)
),
hits (launch_id, tier, depth, roots, is_other) AS (
    SELECT l.id, 0, 0, NULL, 0 FROM launches AS l
    -- With a leading `::` it is the name in full, which not all that launch it write so.
    WHERE ltrim(l.kernel, ':') = ltrim(:kernel, ':') OR substr(l.kernel, -length(:kernel) - 2) = '::' || :kernel
    UNION ALL
    SELECT l.id, 0, 0, NULL, 0 FROM launches AS l
    WHERE lower(l.kernel) = lower(:word) OR lower(l.kernel) LIKE '%::' || :pattern ESCAPE '\'
    UNION ALL
    -- What a launch calls otherwise: one of those that a lambda is handed, or that a name which is put together may be.
    SELECT x.launch_id, 0, 1, NULL, 0 FROM kernels AS k JOIN launch_kernels AS x ON x.kernel_id = k.id
    -- Most names are told apart by the first condition, which takes a quarter of the others' time.
    WHERE instr(lower(k.name), lower(ltrim(coalesce(:word, :kernel), ':')))
      AND (ltrim(k.name, ':') = ltrim(:kernel, ':') OR substr(k.name, -length(:kernel) - 2) = '::' || :kernel
           OR lower(k.name) = lower(:word) OR lower(k.name) LIKE '%::' || :pattern ESCAPE '\')
    UNION ALL
    -- The name of one instance of a template of Metal's, as Xcode has it: the launches whose name may come to it.
    SELECT value, 0, 1, NULL, 0 FROM json_each(:instances)
    UNION ALL
    SELECT l.id, 1, r.depth, r.roots, r.is_other FROM reached AS r JOIN launches AS l ON l.launcher_id = r.id
    UNION ALL
    SELECT l.id, 2, 0, NULL, 0 FROM launches AS l WHERE instr(lower(l.kernel), lower(:word))
    UNION ALL
    SELECT l.id, 3, 0, NULL, 0 FROM launches AS l WHERE instr(lower(l.launcher), lower(:word))
    UNION ALL
    -- A file that is called so comes before others with that in their path: SoftMax.cu before PersistentSoftmax.cuh.
    SELECT l.id, 4, substr('/' || f.path, -length(:word) - 1) <> '/' || :word, NULL, 0
    FROM launches AS l JOIN source_files AS f ON f.id = l.file_id
    WHERE instr(lower(f.path), lower(:word))
    UNION ALL
    -- A file of Metal's or Vulkan's, and many a header of CUDA's, has kernels that others launch.
    SELECT x.launch_id, 5, substr('/' || f.path, -length(:word) - 1) <> '/' || :word, NULL, 0
    FROM kernels AS k
    CROSS JOIN source_files AS f ON f.id = k.file_id
    CROSS JOIN launch_kernels AS x ON x.kernel_id = k.id
    WHERE :word IS NOT NULL AND instr(lower(f.path), lower(:word))
),
best (launch_id, place, roots, is_other) AS (
    SELECT launch_id, min(tier * 100 + depth), max(roots), min(is_other) FROM hits GROUP BY launch_id
)
SELECT l.kernel, l.launcher, l.kind, l.platform, l.grid, l.block, f.path, l.line,
       b.place / 100 AS tier, b.place % :aside AS depth, max(b.roots) AS roots,
       coalesce(kf.path, cf.path) AS kernel_path, coalesce(k.line, c.line) AS kernel_line,
       count(*) AS launches, count(*) OVER () AS total,
       -- Of what CUDA's launch names by a text, and not a lambda's parameter: which of its overloads is open.
       max(CASE WHEN l.platform = 'cuda' AND l.handed_to IS NULL THEN (
           SELECT count(*) FROM launch_kernels AS x JOIN kernels AS o ON o.id = x.kernel_id
           WHERE x.launch_id = l.id AND o.is_definition) END) AS overloads
FROM best AS b
JOIN launches AS l ON l.id = b.launch_id
JOIN source_files AS f ON f.id = l.file_id
LEFT JOIN kernels AS k ON k.id = (
    SELECT min(lk.kernel_id) FROM launch_kernels AS lk WHERE lk.launch_id = l.id AND lk.is_primary)
LEFT JOIN source_files AS kf ON kf.id = k.file_id
LEFT JOIN functions AS c ON c.id = l.callee_id
LEFT JOIN source_files AS cf ON cf.id = c.file_id
GROUP BY b.place, l.file_id, l.line, l.kernel, l.launcher, l.kind, l.platform, l.grid, l.block,
         kernel_path, kernel_line
ORDER BY l.platform = 'vulkan', b.place / 100, b.place % 100 / :behind, l.platform = 'metal', min(b.is_other), b.place, f.path, l.line, min(l.id)
LIMIT :limit OFFSET :offset

-- name: unlaunched
-- Kernels of a fitting name that nothing in the tree was found to launch.
SELECT k.name, k.platform, f.path, k.line, count(*) OVER () AS total
FROM kernels AS k
JOIN source_files AS f ON f.id = k.file_id
WHERE instr(lower(k.name), lower(:name)) AND k.is_definition
  AND NOT EXISTS (SELECT 1 FROM launch_kernels AS lk JOIN kernels AS o ON o.id = lk.kernel_id
                  WHERE o.name = k.name)
ORDER BY f.path, k.line
LIMIT 10
