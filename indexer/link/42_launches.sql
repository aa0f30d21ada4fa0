-- Which kernel does a launch reach, and which function launches it?

-- A use of a macro of another file is a launch where that macro's definition is one.
DELETE FROM launches
WHERE kind = 'macro'
  AND variable NOT IN (SELECT macro FROM launches WHERE in_definition AND macro IS NOT NULL);

-- `launch_…` is a helper where the function of that name launches something itself.
DELETE FROM launches
WHERE kind = 'helper'
  AND substr(kernel, length(rtrim(kernel, replace(kernel, ':', ''))) + 1) LIKE 'launch\_%' ESCAPE '\'
  AND substr(kernel, length(rtrim(kernel, replace(kernel, ':', ''))) + 1) NOT IN (
      SELECT substr(launcher, length(rtrim(launcher, replace(launcher, ':', ''))) + 1) FROM launches);

-- Metal: a function that puts a name together from one of its arguments (`variable` says which) is asked by those of
-- other files that hand it one, MetalShaderLibrary::exec_unary_kernel(iter, "exp"): which names may come out?
CREATE TEMP TABLE handed_names AS
SELECT DISTINCT n.id AS launch_id, n.kernel || substr(w.kernel, 2) AS kernel
FROM launches AS n
JOIN launches AS w ON w.variable = n.variable AND w.kind = 'pipeline' AND w.platform = 'metal'
WHERE n.kind = 'name' AND n.variable IS NOT NULL AND w.kernel LIKE '*\_%' ESCAPE '\'
ORDER BY n.id, w.id;

DELETE FROM launches
WHERE kind = 'name' AND variable IS NOT NULL AND id NOT IN (SELECT launch_id FROM temp.handed_names);

UPDATE launches SET kind = 'pipeline', variable = NULL, kernel = kernel || '_*'
WHERE id IN (SELECT launch_id FROM temp.handed_names);

-- Which argument it was says nothing to others.
UPDATE launches SET variable = NULL WHERE kind = 'pipeline' AND platform = 'metal';

-- The launching function.
UPDATE launches SET launcher_id = (
    SELECT u.id FROM launches AS l
    JOIN functions AS u
      ON u.file_id = l.file_id AND u.line <= l.line AND u.end_line >= l.line
    WHERE l.id = launches.id
    ORDER BY u.name = l.launcher DESC, u.line DESC, u.id LIMIT 1)
WHERE NOT in_definition;

UPDATE launches SET launcher = (SELECT u.name FROM functions AS u WHERE u.id = launcher_id)
WHERE launcher_id IS NOT NULL;

-- CUDA: a definition in another source file is launched where that file's namesake is declared for others; without a
-- declaration no translation unit but its own sees it, and `kernel` is a variable or a macro's parameter instead.
CREATE TEMP TABLE unseen_kernels AS
SELECT k.id FROM kernels AS k JOIN source_files AS f ON f.id = k.file_id
WHERE k.platform = 'cuda' AND (f.path LIKE '%.cu' OR f.path LIKE '%.cpp' OR f.path LIKE '%.cc' OR f.path LIKE '%.hip')
  AND NOT EXISTS (
      SELECT 1 FROM kernels AS d
      WHERE d.function = k.function AND d.platform = 'cuda' AND NOT d.is_definition AND d.file_id <> k.file_id);

CREATE UNIQUE INDEX temp.unseen_kernel ON unseen_kernels (id);

-- By qualified name from the innermost scope outwards, the same file first.
CREATE TEMP TABLE launched AS
SELECT l.id AS launch_id, k.id AS kernel_id,
       row_number() OVER (
           PARTITION BY l.id
           ORDER BY e.depth, k.file_id <> l.file_id, NOT k.is_definition, k.file_id, k.line DESC
       ) AS place,
       first_value(k.name) OVER (
           PARTITION BY l.id
           ORDER BY e.depth, k.file_id <> l.file_id, NOT k.is_definition, k.file_id, k.line DESC
       ) AS name,
       first_value(k.file_id) OVER (
           PARTITION BY l.id
           ORDER BY e.depth, k.file_id <> l.file_id, NOT k.is_definition, k.file_id, k.line DESC
       ) AS chosen_file,
       k.name AS own_name, k.file_id AS own_file
FROM launches AS l
JOIN temp.enclosing AS e ON e.scope = l.scope
JOIN kernels AS k ON k.name = e.prefix || ltrim(l.kernel, ':') AND k.platform = 'cuda'
WHERE l.platform = 'cuda' AND l.kind IN ('launch', 'runtime', 'macro')
  AND (k.file_id = l.file_id OR k.id NOT IN (SELECT id FROM temp.unseen_kernels));

INSERT OR IGNORE INTO launch_kernels
SELECT launch_id, kernel_id, place = 1 FROM temp.launched
WHERE own_name = name AND own_file = chosen_file ORDER BY launch_id, place;

-- Else by the last part of the name, in the same file, then wherever it is the only one.
CREATE TEMP TABLE launched_by_name AS
SELECT l.id AS launch_id, k.id AS kernel_id, k.name AS name,
       dense_rank() OVER (PARTITION BY l.id ORDER BY k.file_id <> l.file_id, k.name) AS choice,
       row_number() OVER (
           PARTITION BY l.id ORDER BY k.file_id <> l.file_id, k.name, NOT k.is_definition, k.id
       ) AS place,
       k.file_id = l.file_id AS is_own
FROM launches AS l
JOIN kernels AS k
  ON k.function = substr(l.kernel, length(rtrim(l.kernel, replace(l.kernel, ':', ''))) + 1)
 AND k.platform = 'cuda'
WHERE l.platform = 'cuda' AND l.kind IN ('launch', 'runtime', 'macro')
  AND (k.file_id = l.file_id OR k.id NOT IN (SELECT id FROM temp.unseen_kernels))
  AND NOT EXISTS (SELECT 1 FROM launch_kernels AS done WHERE done.launch_id = l.id);

INSERT OR IGNORE INTO launch_kernels
SELECT n.launch_id, n.kernel_id, n.place = 1 FROM temp.launched_by_name AS n
WHERE n.choice = 1
  AND (n.is_own OR (SELECT max(o.choice) FROM temp.launched_by_name AS o
                    WHERE o.launch_id = n.launch_id) = 1)
ORDER BY n.launch_id, n.place;

UPDATE launches SET kernel = (
    SELECT k.name FROM launch_kernels AS lk JOIN kernels AS k ON k.id = lk.kernel_id
    WHERE lk.launch_id = launches.id AND lk.is_primary)
WHERE platform = 'cuda'
  AND id IN (SELECT launch_id FROM launch_kernels WHERE is_primary);

-- Helpers are functions: gpu_kernel and its like. So is what the tree wraps a library in, which is called by less than its
-- name: `cuda::cub::unique` in at::native is at::cuda::cub::unique (aten/src/ATen/cuda/cub.cuh), while `::cub::…` begins at
-- file scope. What an `#if` includes for ROCm alone comes last (ROCmLoops.cuh).
UPDATE launches SET callee_id = (
    SELECT u.id FROM launches AS l
    JOIN temp.enclosing AS e ON e.scope = l.scope AND (substr(l.kernel, 1, 2) <> '::' OR e.prefix = '')
    JOIN functions AS u ON u.name = e.prefix || ltrim(l.kernel, ':')
    JOIN source_files AS f ON f.id = u.file_id
    WHERE l.id = launches.id
    ORDER BY e.depth, u.file_id <> l.file_id, f.path LIKE '%rocm%' OR f.path LIKE '%/hip/%',
             u.line - u.end_line, f.path, u.line LIMIT 1)
WHERE kind IN ('helper', 'jit', 'library');

UPDATE launches SET kernel = (SELECT u.name FROM functions AS u WHERE u.id = callee_id)
WHERE callee_id IS NOT NULL;

-- Metal: names and patterns; in the same file's strings first, then in the bundled library. What is
-- found is the function that an instantiation names. A pattern needs a beginning to tell anything.
CREATE TEMP TABLE asked_for AS
SELECT l.id AS launch_id, l.file_id, l.kernel, substr(l.kernel, 1, instr(l.kernel || '*', '*') - 1) AS beginning
FROM (
    SELECT id, file_id, kernel FROM launches
    WHERE platform = 'metal' AND id NOT IN (SELECT launch_id FROM temp.handed_names)
    UNION ALL
    SELECT n.launch_id, h.file_id, n.kernel
    FROM temp.handed_names AS n JOIN launches AS h ON h.id = n.launch_id
) AS l
WHERE substr(l.kernel, 1, 1) <> '*' AND (instr(l.kernel, '*') = 0 OR instr(l.kernel, '*') > 2);

CREATE TEMP TABLE looked_up AS
SELECT DISTINCT
    a.launch_id, k.id AS kernel_id, k.name, k.function, k.file_id, k.definition_line,
    k.file_id = a.file_id AS is_own
FROM temp.asked_for AS a
CROSS JOIN kernels AS k
  ON k.name >= a.beginning AND k.name < a.beginning || char(1114111)
WHERE k.platform = 'metal' AND k.name GLOB a.kernel
UNION
SELECT a.launch_id, k.id, k.name, k.function, k.file_id, k.definition_line, k.file_id = a.file_id
FROM kernels AS k
CROSS JOIN temp.asked_for AS a
WHERE k.platform = 'metal' AND instr(k.name, '*') AND a.kernel GLOB k.name;

CREATE INDEX temp.looked_up_launch ON looked_up (launch_id, is_own);

-- A template is asked for by the names of its instantiations, where it has some: `index_put_*` is no lookup of the
-- template index_put_serial, whose instantiations are `index_put_serial_8bit_idx32` and the like.
DELETE FROM temp.looked_up
WHERE launch_id IN (SELECT launch_id FROM temp.asked_for WHERE instr(kernel, '*')) AND EXISTS (
    SELECT 1 FROM kernels AS t
    JOIN kernels AS i
      ON i.platform = 'metal' AND i.file_id = t.file_id AND i.function = t.function AND i.name <> t.name
    WHERE t.id = looked_up.kernel_id AND t.is_template AND t.name = t.function);

-- Of two patterns of one file the longer is meant where both fit, if the other is left something:
-- `fused_sgd_*` beside `fused_sgd_momentum_*` is no lookup of the latter's kernels, nor is `group_norm_*_uint32_t`
-- beside `group_norm_backward_*_uint32_t`. Of two files it is so where the longer has more before what is not known:
-- FusedAdamKernelImpl.mm's `fused_adam_*_*` leaves `fused_adam_amsgrad_*_*` to FusedAdamAmsgradKernelImpl.mm.
CREATE TEMP TABLE told_apart AS
SELECT t.launch_id, t.kernel_id
FROM launches AS a
JOIN launches AS b
  ON b.platform = 'metal' AND length(b.kernel) > length(a.kernel)
 AND b.kernel GLOB a.kernel AND instr(b.kernel, '*')
 AND (b.file_id = a.file_id OR instr(b.kernel, '*') > instr(a.kernel, '*'))
JOIN temp.looked_up AS t ON t.launch_id = a.id AND t.name GLOB b.kernel
WHERE a.platform = 'metal' AND instr(a.kernel, '*') > 2;

DELETE FROM temp.looked_up
WHERE (launch_id, kernel_id) IN (SELECT launch_id, kernel_id FROM temp.told_apart)
  AND launch_id IN (SELECT launch_id FROM (
      SELECT launch_id, kernel_id FROM temp.looked_up EXCEPT SELECT launch_id, kernel_id FROM temp.told_apart));

INSERT OR IGNORE INTO launch_kernels
SELECT DISTINCT t.launch_id,
       coalesce((SELECT min(d.id) FROM kernels AS d
                 WHERE d.platform = 'metal' AND d.file_id = t.file_id
                   AND d.function = t.function AND d.is_definition AND d.line = t.definition_line),
                (SELECT min(d.id) FROM kernels AS d
                 WHERE d.platform = 'metal' AND d.file_id = t.file_id
                   AND d.function = t.function AND d.is_definition),
                -- Of instantiations of a header's function the first: its line says with which operation.
                min(t.kernel_id) OVER (PARTITION BY t.launch_id, t.file_id, t.function)),
       1
FROM temp.looked_up AS t
WHERE t.is_own OR NOT EXISTS (
    SELECT 1 FROM temp.looked_up AS o WHERE o.launch_id = t.launch_id AND o.is_own)
ORDER BY 1, 2;

-- Vulkan: the shader that is registered by that name. Of a variant it is the template that is compiled, and the variant,
-- whose line in the YAML says with what.
INSERT OR IGNORE INTO launch_kernels
WITH asked (launch_id, kernel_id, function, is_definition) AS MATERIALIZED (
    SELECT l.id, k.id, k.function, k.is_definition
    FROM launches AS l
    JOIN kernels AS k ON k.platform = 'vulkan'
     AND (k.name = l.kernel OR instr(l.kernel, '*') > 2 AND k.name GLOB l.kernel)
    WHERE l.platform = 'vulkan'
)
SELECT launch_id, kernel_id, is_definition FROM asked
UNION
SELECT a.launch_id, d.id, 1
FROM asked AS a JOIN kernels AS d ON d.platform = 'vulkan' AND d.is_definition AND d.function = a.function
WHERE NOT a.is_definition
ORDER BY 1, 2;

-- A string that is no kernel's name was only a string.
DELETE FROM launches
WHERE kind = 'name' AND id NOT IN (SELECT launch_id FROM launch_kernels);

DROP TABLE temp.handed_names;
DROP TABLE temp.asked_for;
DROP TABLE temp.launched;
DROP TABLE temp.unseen_kernels;
DROP TABLE temp.launched_by_name;
DROP TABLE temp.looked_up;
DROP TABLE temp.told_apart;
