// A stand-in for Vulkan and its memory allocator, written for an index: records take anything and have every field.
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>
#define VK_NULL_HANDLE nullptr
#define VKAPI_PTR
#define VKAPI_ATTR
#define VKAPI_CALL
#define VK_MAKE_VERSION(major, minor, patch) (((major) << 22) | ((minor) << 12) | (patch))
#define VK_VERSION_MAJOR(version) ((uint32_t)(version) >> 22)
#define VK_VERSION_MINOR(version) (((uint32_t)(version) >> 12) & 0x3ff)
#define VK_VERSION_PATCH(version) ((uint32_t)(version) & 0xfff)
#define VK_EXT_DEBUG_REPORT_EXTENSION_NAME "VK_EXT_DEBUG_REPORT_EXTENSION_NAME"
#define VK_KHR_PORTABILITY_SUBSET_EXTENSION_NAME "VK_KHR_PORTABILITY_SUBSET_EXTENSION_NAME"
enum torchtalk_vulkan : uint32_t {
  VK_ACCESS_HOST_READ_BIT, VK_ACCESS_HOST_WRITE_BIT, VK_ACCESS_SHADER_READ_BIT, VK_ACCESS_SHADER_WRITE_BIT,
  VK_ACCESS_TRANSFER_READ_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_API_VERSION_1_0,
  VK_BORDER_COLOR_FLOAT_TRANSPARENT_BLACK, VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, VK_BUFFER_USAGE_TRANSFER_DST_BIT,
  VK_BUFFER_USAGE_TRANSFER_SRC_BIT, VK_BUFFER_USAGE_UNIFORM_BUFFER_BIT, VK_COMMAND_BUFFER_LEVEL_PRIMARY,
  VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT, VK_COMMAND_POOL_CREATE_TRANSIENT_BIT, VK_COMPARE_OP_NEVER,
  VK_COMPONENT_SWIZZLE_IDENTITY, VK_DEBUG_REPORT_DEBUG_BIT_EXT, VK_DEBUG_REPORT_ERROR_BIT_EXT,
  VK_DEBUG_REPORT_INFORMATION_BIT_EXT, VK_DEBUG_REPORT_PERFORMANCE_WARNING_BIT_EXT, VK_DEBUG_REPORT_WARNING_BIT_EXT,
  VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, VK_DESCRIPTOR_TYPE_STORAGE_IMAGE,
  VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, VK_ERROR_DEVICE_LOST, VK_ERROR_EXTENSION_NOT_PRESENT,
  VK_ERROR_FEATURE_NOT_PRESENT, VK_ERROR_FORMAT_NOT_SUPPORTED, VK_ERROR_FRAGMENTED_POOL, VK_ERROR_INCOMPATIBLE_DRIVER,
  VK_ERROR_INITIALIZATION_FAILED, VK_ERROR_LAYER_NOT_PRESENT, VK_ERROR_MEMORY_MAP_FAILED,
  VK_ERROR_OUT_OF_DEVICE_MEMORY, VK_ERROR_OUT_OF_HOST_MEMORY, VK_ERROR_TOO_MANY_OBJECTS, VK_ERROR_UNKNOWN,
  VK_EVENT_RESET, VK_EVENT_SET, VK_EXT_debug_report, VK_FALSE, VK_FILTER_NEAREST, VK_FORALL_SCALAR_TYPE,
  VK_FORMAT_R16G16B16A16_SFLOAT, VK_FORMAT_R32G32B32A32_SFLOAT, VK_FORMAT_R32G32B32A32_SINT, VK_FORMAT_R8G8B8A8_SINT,
  VK_FORMAT_R8G8B8A8_UINT, VK_IMAGE_ASPECT_COLOR_BIT, VK_IMAGE_LAYOUT_GENERAL,
  VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL, VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL,
  VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL, VK_IMAGE_LAYOUT_UNDEFINED, VK_IMAGE_TILING_OPTIMAL, VK_IMAGE_TYPE_2D,
  VK_IMAGE_TYPE_3D, VK_IMAGE_USAGE_SAMPLED_BIT, VK_IMAGE_USAGE_STORAGE_BIT, VK_IMAGE_USAGE_TRANSFER_DST_BIT,
  VK_IMAGE_USAGE_TRANSFER_SRC_BIT, VK_IMAGE_VIEW_TYPE_2D, VK_IMAGE_VIEW_TYPE_3D, VK_INCOMPLETE,
  VK_KHR_portability_subset, VK_LAYER_KHRONOS_validation, VK_LAYER_LUNARG_api_dump, VK_LOD_CLAMP_NONE,
  VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, VK_MEMORY_PROPERTY_HOST_CACHED_BIT, VK_MEMORY_PROPERTY_HOST_COHERENT_BIT,
  VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, VK_NOT_READY, VK_PHYSICAL_DEVICE_TYPE_CPU,
  VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU, VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU, VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU,
  VK_PIPELINE_BIND_POINT_COMPUTE, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
  VK_PIPELINE_STAGE_HOST_BIT, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
  VK_QUERY_RESULT_64_BIT, VK_QUERY_TYPE_TIMESTAMP, VK_QUEUE_COMPUTE_BIT, VK_QUEUE_FAMILY_IGNORED,
  VK_REMAINING_ARRAY_LAYERS, VK_REMAINING_MIP_LEVELS, VK_SAMPLER_ADDRESS_MODE_REPEAT, VK_SAMPLER_MIPMAP_MODE_NEAREST,
  VK_SAMPLE_COUNT_1_BIT, VK_SHADER_STAGE_COMPUTE_BIT, VK_SHARING_MODE_EXCLUSIVE, VK_STRUCTURE_TYPE_APPLICATION_INFO,
  VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO, VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
  VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO, VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
  VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO, VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
  VK_STRUCTURE_TYPE_DEBUG_REPORT_CALLBACK_CREATE_INFO_EXT, VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
  VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO, VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
  VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
  VK_STRUCTURE_TYPE_FENCE_CREATE_INFO, VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO, VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
  VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO, VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, VK_STRUCTURE_TYPE_MEMORY_BARRIER,
  VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO, VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
  VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
  VK_STRUCTURE_TYPE_SAMPLER_CREATE_INFO, VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, VK_STRUCTURE_TYPE_SUBMIT_INFO,
  VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET, VK_SUCCESS, VK_TIMEOUT, VK_TRUE, VK_WHOLE_SIZE,
  VMA_ALLOCATION_CREATE_HOST_ACCESS_RANDOM_BIT, VMA_ALLOCATION_CREATE_HOST_ACCESS_SEQUENTIAL_WRITE_BIT,
  VMA_ALLOCATION_CREATE_STRATEGY_MIN_MEMORY_BIT, VMA_MEMORY_USAGE_AUTO, VMA_MEMORY_USAGE_AUTO_,
  VMA_MEMORY_USAGE_AUTO_PREFER_DEVICE, VMA_MEMORY_USAGE_AUTO_PREFER_HOST, VMA_MEMORY_USAGE_UNKNOWN
};
typedef torchtalk_vulkan VkFormat;
typedef torchtalk_vulkan VkResult;
typedef torchtalk_vulkan VkImageLayout;
typedef torchtalk_vulkan VkImageTiling;
typedef torchtalk_vulkan VkImageType;
typedef torchtalk_vulkan VkImageViewType;
typedef torchtalk_vulkan VkFilter;
typedef torchtalk_vulkan VkSamplerAddressMode;
typedef torchtalk_vulkan VkSamplerMipmapMode;
typedef torchtalk_vulkan VkBorderColor;
typedef torchtalk_vulkan VkDescriptorType;
typedef torchtalk_vulkan VkSharingMode;
typedef torchtalk_vulkan VkPhysicalDeviceType;
typedef torchtalk_vulkan VkStructureType;
typedef torchtalk_vulkan VkIndexType;
typedef torchtalk_vulkan VkPipelineBindPoint;
typedef torchtalk_vulkan VkCommandBufferLevel;
typedef torchtalk_vulkan VkComponentSwizzle;
typedef torchtalk_vulkan VkQueryType;
typedef torchtalk_vulkan VkDebugReportObjectTypeEXT;
typedef torchtalk_vulkan VkCompareOp;
typedef torchtalk_vulkan VkSystemAllocationScope;
typedef uint32_t VkBool32;
typedef uint64_t VkDeviceSize;
typedef uint32_t VkSampleMask;
typedef uint32_t VkAccessFlags;
typedef uint32_t VkBufferUsageFlags;
typedef uint32_t VkCommandBufferUsageFlags;
typedef uint32_t VkDebugReportFlagsEXT;
typedef uint32_t VkImageUsageFlags;
typedef uint32_t VkMemoryPropertyFlags;
typedef uint32_t VkPipelineStageFlags;
typedef uint32_t VkQueryResultFlags;
typedef uint32_t VkQueueFlags;
typedef uint32_t VmaAllocationCreateFlags;
typedef torchtalk_vulkan VmaMemoryUsage;
typedef struct VkInstance_T* VkInstance;
typedef struct VkPhysicalDevice_T* VkPhysicalDevice;
typedef struct VkDevice_T* VkDevice;
typedef struct VkQueue_T* VkQueue;
typedef struct VkBuffer_T* VkBuffer;
typedef struct VkImage_T* VkImage;
typedef struct VkImageView_T* VkImageView;
typedef struct VkSampler_T* VkSampler;
typedef struct VkDeviceMemory_T* VkDeviceMemory;
typedef struct VkFence_T* VkFence;
typedef struct VkSemaphore_T* VkSemaphore;
typedef struct VkCommandPool_T* VkCommandPool;
typedef struct VkCommandBuffer_T* VkCommandBuffer;
typedef struct VkDescriptorPool_T* VkDescriptorPool;
typedef struct VkDescriptorSet_T* VkDescriptorSet;
typedef struct VkDescriptorSetLayout_T* VkDescriptorSetLayout;
typedef struct VkPipeline_T* VkPipeline;
typedef struct VkPipelineLayout_T* VkPipelineLayout;
typedef struct VkPipelineCache_T* VkPipelineCache;
typedef struct VkShaderModule_T* VkShaderModule;
typedef struct VkQueryPool_T* VkQueryPool;
typedef struct VkDebugReportCallbackEXT_T* VkDebugReportCallbackEXT;
typedef struct VkEvent_T* VkEvent;
typedef struct VkSurfaceKHR_T* VkSurfaceKHR;
typedef struct VmaAllocator_T* VmaAllocator;
typedef struct VmaAllocation_T* VmaAllocation;
struct torchtalk_version { uint32_t propertyFlags, heapIndex; VkDeviceSize size; uint32_t flags; };
struct torchtalk_limits {
  float timestampPeriod; VkBool32 timestampComputeAndGraphics; uint32_t maxComputeWorkGroupSize[3], maxComputeSharedMemorySize;
  uint32_t maxImageDimension1D, maxImageDimension2D, maxImageDimension3D, maxTexelBufferElements, maxPushConstantsSize;
  uint32_t maxComputeWorkGroupInvocations, maxComputeWorkGroupCount[3], maxStorageBufferRange, maxMemoryAllocationCount;
  uint32_t maxSamplerAllocationCount;
};
struct torchtalk_record {
  torchtalk_record();
  template <class... Arguments> torchtalk_record(Arguments&&...);
  torchtalk_limits limits;
  char extensionName[256], layerName[256], deviceName[256];
  torchtalk_version memoryTypes[32], memoryHeaps[16];
  torchtalk_vulkan deviceType, descriptorType;
  uint32_t memoryTypeCount, memoryHeapCount, queueFlags, queueCount, apiVersion, driverVersion, descriptorCount, stageFlags, binding;
  uint32_t width, height, depth, flags, usage, alignment;
  const VkSampler* pImmutableSamplers;
  const torchtalk_record *pImageInfo, *pBufferInfo, *pNext;
  VkImageView imageView; VkImageLayout imageLayout; VkSampler sampler; VkBuffer buffer; VkDeviceSize offset, range, size;
};
#define TORCHTALK_RECORD_OF(name) struct name : torchtalk_record { using torchtalk_record::torchtalk_record; };
TORCHTALK_RECORD_OF(VkApplicationInfo) TORCHTALK_RECORD_OF(VkBufferCopy) TORCHTALK_RECORD_OF(VkBufferCreateInfo)
TORCHTALK_RECORD_OF(VkBufferImageCopy) TORCHTALK_RECORD_OF(VkBufferMemoryBarrier)
TORCHTALK_RECORD_OF(VkCommandBufferAllocateInfo) TORCHTALK_RECORD_OF(VkCommandBufferBeginInfo)
TORCHTALK_RECORD_OF(VkCommandPoolCreateInfo) TORCHTALK_RECORD_OF(VkComponentMapping)
TORCHTALK_RECORD_OF(VkComputePipelineCreateInfo) TORCHTALK_RECORD_OF(VkDescriptorBufferInfo)
TORCHTALK_RECORD_OF(VkDescriptorImageInfo) TORCHTALK_RECORD_OF(VkDescriptorPoolCreateInfo)
TORCHTALK_RECORD_OF(VkDescriptorPoolSize) TORCHTALK_RECORD_OF(VkDescriptorSetAllocateInfo)
TORCHTALK_RECORD_OF(VkDescriptorSetLayoutBinding) TORCHTALK_RECORD_OF(VkDescriptorSetLayoutCreateInfo)
TORCHTALK_RECORD_OF(VkDeviceCreateInfo) TORCHTALK_RECORD_OF(VkDeviceQueueCreateInfo)
TORCHTALK_RECORD_OF(VkExtensionProperties) TORCHTALK_RECORD_OF(VkFenceCreateInfo) TORCHTALK_RECORD_OF(VkImageCopy)
TORCHTALK_RECORD_OF(VkImageCreateInfo) TORCHTALK_RECORD_OF(VkImageMemoryBarrier)
TORCHTALK_RECORD_OF(VkImageSubresourceLayers) TORCHTALK_RECORD_OF(VkImageSubresourceRange)
TORCHTALK_RECORD_OF(VkImageViewCreateInfo) TORCHTALK_RECORD_OF(VkInstanceCreateInfo)
TORCHTALK_RECORD_OF(VkLayerProperties) TORCHTALK_RECORD_OF(VkMemoryBarrier)
TORCHTALK_RECORD_OF(VkMemoryRequirements) TORCHTALK_RECORD_OF(VkPhysicalDeviceMemoryProperties)
TORCHTALK_RECORD_OF(VkPhysicalDeviceProperties) TORCHTALK_RECORD_OF(VkPipelineCacheCreateInfo)
TORCHTALK_RECORD_OF(VkPipelineLayoutCreateInfo) TORCHTALK_RECORD_OF(VkPipelineShaderStageCreateInfo)
TORCHTALK_RECORD_OF(VkQueryPoolCreateInfo) TORCHTALK_RECORD_OF(VkQueueFamilyProperties)
TORCHTALK_RECORD_OF(VkSamplerCreateInfo) TORCHTALK_RECORD_OF(VkShaderModuleCreateInfo)
TORCHTALK_RECORD_OF(VkSpecializationInfo) 
TORCHTALK_RECORD_OF(VkSubmitInfo) TORCHTALK_RECORD_OF(VkWriteDescriptorSet)
TORCHTALK_RECORD_OF(VkDebugReportCallbackCreateInfoEXT)
struct VkSpecializationMapEntry { uint32_t constantID, offset; size_t size; };
struct VkExtent3D { uint32_t width, height, depth; };
struct VkOffset3D { int32_t x, y, z; };
typedef torchtalk_limits VkPhysicalDeviceLimits;
#define TORCHTALK_VULKAN(name) template <class... Arguments> VkResult name(Arguments&&...);
TORCHTALK_VULKAN(vkAllocateCommandBuffers) TORCHTALK_VULKAN(vkAllocateDescriptorSets)
TORCHTALK_VULKAN(vkBeginCommandBuffer) TORCHTALK_VULKAN(vkCmdBindDescriptorSets) TORCHTALK_VULKAN(vkCmdBindPipeline)
TORCHTALK_VULKAN(vkCmdCopyBuffer) TORCHTALK_VULKAN(vkCmdCopyBufferToImage) TORCHTALK_VULKAN(vkCmdCopyImage)
TORCHTALK_VULKAN(vkCmdCopyImageToBuffer) TORCHTALK_VULKAN(vkCmdDispatch) TORCHTALK_VULKAN(vkCmdPipelineBarrier)
TORCHTALK_VULKAN(vkCmdResetQueryPool) TORCHTALK_VULKAN(vkCmdWriteTimestamp) TORCHTALK_VULKAN(vkCreateBuffer)
TORCHTALK_VULKAN(vkCreateCommandPool) TORCHTALK_VULKAN(vkCreateComputePipelines)
TORCHTALK_VULKAN(vkCreateDebugReportCallbackEXT) TORCHTALK_VULKAN(vkCreateDescriptorPool)
TORCHTALK_VULKAN(vkCreateDescriptorSetLayout) TORCHTALK_VULKAN(vkCreateDevice) TORCHTALK_VULKAN(vkCreateFence)
TORCHTALK_VULKAN(vkCreateImage) TORCHTALK_VULKAN(vkCreateImageView) TORCHTALK_VULKAN(vkCreateInstance)
TORCHTALK_VULKAN(vkCreatePipelineCache) TORCHTALK_VULKAN(vkCreatePipelineLayout) TORCHTALK_VULKAN(vkCreateQueryPool)
TORCHTALK_VULKAN(vkCreateSampler) TORCHTALK_VULKAN(vkCreateShaderModule) TORCHTALK_VULKAN(vkDestroyBuffer)
TORCHTALK_VULKAN(vkDestroyCommandPool) TORCHTALK_VULKAN(vkDestroyDebugReportCallbackEXT)
TORCHTALK_VULKAN(vkDestroyDescriptorPool) TORCHTALK_VULKAN(vkDestroyDescriptorSetLayout)
TORCHTALK_VULKAN(vkDestroyDevice) TORCHTALK_VULKAN(vkDestroyFence) TORCHTALK_VULKAN(vkDestroyImage)
TORCHTALK_VULKAN(vkDestroyImageView) TORCHTALK_VULKAN(vkDestroyInstance) TORCHTALK_VULKAN(vkDestroyPipeline)
TORCHTALK_VULKAN(vkDestroyPipelineCache) TORCHTALK_VULKAN(vkDestroyPipelineLayout)
TORCHTALK_VULKAN(vkDestroyQueryPool) TORCHTALK_VULKAN(vkDestroySampler) TORCHTALK_VULKAN(vkDestroyShaderModule)
TORCHTALK_VULKAN(vkEndCommandBuffer) TORCHTALK_VULKAN(vkEnumerateDeviceExtensionProperties)
TORCHTALK_VULKAN(vkEnumerateInstanceExtensionProperties) TORCHTALK_VULKAN(vkEnumerateInstanceLayerProperties)
TORCHTALK_VULKAN(vkEnumeratePhysicalDevices) TORCHTALK_VULKAN(vkGetBufferMemoryRequirements)
TORCHTALK_VULKAN(vkGetDeviceQueue) TORCHTALK_VULKAN(vkGetImageMemoryRequirements)
TORCHTALK_VULKAN(vkGetPhysicalDeviceMemoryProperties) TORCHTALK_VULKAN(vkGetPhysicalDeviceProperties)
TORCHTALK_VULKAN(vkGetPhysicalDeviceQueueFamilyProperties) TORCHTALK_VULKAN(vkGetQueryPoolResults)
TORCHTALK_VULKAN(vkQueueSubmit) TORCHTALK_VULKAN(vkQueueWaitIdle) TORCHTALK_VULKAN(vkResetCommandPool)
TORCHTALK_VULKAN(vkResetDescriptorPool) TORCHTALK_VULKAN(vkResetFences) TORCHTALK_VULKAN(vkUpdateDescriptorSets)
TORCHTALK_VULKAN(vkWaitForFences)
typedef VkResult (*PFN_vkCreateDebugReportCallbackEXT)(...);
typedef void (*PFN_vkDestroyDebugReportCallbackEXT)(...);
void* vkGetInstanceProcAddr(VkInstance, const char*);
void* vkGetDeviceProcAddr(VkDevice, const char*);
