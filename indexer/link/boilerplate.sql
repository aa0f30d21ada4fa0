-- Which C++ functions say nothing of who calls them?
-- By the files they stand in, and by the standard's rule for reserved names.
INSERT OR IGNORE INTO boilerplate_functions (function_id, what)
SELECT u.id, CASE
    WHEN u.name GLOB 'std::*' THEN 'standard library'
    WHEN u.name GLOB '__*' THEN 'builtin'
    WHEN f.path GLOB 'c10/util/Exception.*' OR f.path GLOB 'c10/cuda/CUDAException.*' THEN 'checks'
    WHEN f.path GLOB 'c10/util/Logging.*' OR f.path GLOB 'c10/util/logging_*' THEN 'logging'
    ELSE 'strings' END
FROM functions AS u
JOIN source_files AS f ON f.id = u.file_id
WHERE u.kind <> 'kernel'
  AND (u.name GLOB 'std::*' OR u.name GLOB '__*'
    OR f.path GLOB 'c10/util/Exception.*' OR f.path GLOB 'c10/cuda/CUDAException.*'
    OR f.path GLOB 'c10/util/Logging.*' OR f.path GLOB 'c10/util/logging_*'
    OR f.path GLOB 'c10/util/StringUtil.*')
ORDER BY u.id;
