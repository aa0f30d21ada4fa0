// A stand-in for the Vulkan Memory Allocator, written for an index.
#pragma once
#include "../vulkan/vulkan.h"
struct VmaAllocationCreateInfo : torchtalk_record { using torchtalk_record::torchtalk_record; uint32_t requiredFlags, preferredFlags; VmaAllocator pool; void* pMappedData; VkDevice device; decltype(&::vkGetInstanceProcAddr) vkGetInstanceProcAddr; decltype(&::vkGetDeviceProcAddr) vkGetDeviceProcAddr; };
struct VmaAllocatorCreateInfo : torchtalk_record { using torchtalk_record::torchtalk_record; uint32_t requiredFlags, preferredFlags; VmaAllocator pool; void* pMappedData; VkDevice device; decltype(&::vkGetInstanceProcAddr) vkGetInstanceProcAddr; decltype(&::vkGetDeviceProcAddr) vkGetDeviceProcAddr; };
struct VmaAllocationInfo : torchtalk_record { using torchtalk_record::torchtalk_record; uint32_t requiredFlags, preferredFlags; VmaAllocator pool; void* pMappedData; VkDevice device; decltype(&::vkGetInstanceProcAddr) vkGetInstanceProcAddr; decltype(&::vkGetDeviceProcAddr) vkGetDeviceProcAddr; };
struct VmaAllocatorInfo : torchtalk_record { using torchtalk_record::torchtalk_record; uint32_t requiredFlags, preferredFlags; VmaAllocator pool; void* pMappedData; VkDevice device; decltype(&::vkGetInstanceProcAddr) vkGetInstanceProcAddr; decltype(&::vkGetDeviceProcAddr) vkGetDeviceProcAddr; };
struct VmaVulkanFunctions : torchtalk_record { using torchtalk_record::torchtalk_record; uint32_t requiredFlags, preferredFlags; VmaAllocator pool; void* pMappedData; VkDevice device; decltype(&::vkGetInstanceProcAddr) vkGetInstanceProcAddr; decltype(&::vkGetDeviceProcAddr) vkGetDeviceProcAddr; };
struct VmaTotalStatistics : torchtalk_record { using torchtalk_record::torchtalk_record; uint32_t requiredFlags, preferredFlags; VmaAllocator pool; void* pMappedData; VkDevice device; decltype(&::vkGetInstanceProcAddr) vkGetInstanceProcAddr; decltype(&::vkGetDeviceProcAddr) vkGetDeviceProcAddr; };
TORCHTALK_VULKAN(vmaAllocateMemory) TORCHTALK_VULKAN(vmaBindBufferMemory) TORCHTALK_VULKAN(vmaBindImageMemory)
TORCHTALK_VULKAN(vmaCalculateStatistics) TORCHTALK_VULKAN(vmaCreateAllocator) TORCHTALK_VULKAN(vmaCreateBuffer)
TORCHTALK_VULKAN(vmaCreateImage) TORCHTALK_VULKAN(vmaDestroyAllocator) TORCHTALK_VULKAN(vmaDestroyBuffer)
TORCHTALK_VULKAN(vmaDestroyImage) TORCHTALK_VULKAN(vmaFlushAllocation) TORCHTALK_VULKAN(vmaFreeMemory)
TORCHTALK_VULKAN(vmaGetAllocatorInfo) TORCHTALK_VULKAN(vmaInvalidateAllocation) TORCHTALK_VULKAN(vmaMapMemory)
TORCHTALK_VULKAN(vmaUnmapMemory)
