/* LLVM is in a module: a shared object of the name AIC_MODULE_FILE in the folder of the library, or the one that
 * AIC_CODEGEN names. */
#define _GNU_SOURCE /* dladdr() */
#include "codegen/build_name.h"
#include "codegen/module.h"
#include "frontend/core/diag.h"
#include "runtime/generator/generator.h"
#include "runtime/system/environment.h"
#include "runtime/system/open_file.h"
#include <aic/types.h>

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- memory while a C++ library is loaded ---- */

#define SUBJECT "generator module"

/* What must be there: LLVM's constructors take 1 MB, its pages that are written 6 MB. */
#define ROOM_BYTES ((size_t)64 << 20)
#define RESERVE_BYTES ((size_t)8 << 20)

typedef void (*new_handler)(void);
typedef new_handler (*set_new_handler)(new_handler handler);

static _Atomic(void *) reserve;
static _Atomic(set_new_handler) set_handler; /* NULL: there is no such function */
static _Atomic(new_handler) previous;

/* Takes the room, to see that it is there, and keeps the reserve of it. */
static bool take_reserve(void)
{
    char *memory = mmap(NULL, RESERVE_BYTES + ROOM_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        return false;
    }
    munmap(memory + RESERVE_BYTES, ROOM_BYTES);
    atomic_store(&reserve, memory);
    return true;
}

static bool give_back_reserve(void)
{
    void *memory = atomic_exchange(&reserve, NULL);
    if (memory != NULL) {
        munmap(memory, RESERVE_BYTES);
    }
    return memory != NULL;
}

/* Called by C++ when an allocation fails, and returns to have it tried again: after the reserve has been given back,
 * and once more with the handler that was there before. */
static void on_new_failure(void)
{
    if (!give_back_reserve()) {
        (void)atomic_load (&set_handler)(atomic_load(&previous));
    }
}

/* The library of C++ comes first: it stays, and has the function that installs a handler. */
static void install_handler(void)
{
    void *cxx = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);
    void *symbol = cxx != NULL ? dlsym(cxx, "_ZSt15set_new_handlerPFvvE") : NULL;
    set_new_handler set = NULL;
    memcpy(&set, &symbol, sizeof set); /* ISO C has no cast from an object's address to a function's */
    atomic_store(&set_handler, set);
    if (set != NULL) {
        atomic_store(&previous, set(on_new_failure));
    }
}

static void remove_handler(void)
{
    const set_new_handler set = atomic_load(&set_handler);
    if (set != NULL) {
        (void)set(atomic_load(&previous));
    }
}

/* dlopen() of a library whose constructors end the process when memory runs out, as those of C++ do: begins only when
 * there is far more than they take, and has a reserve for them all the same, which is given back when an allocation of
 * C++ fails. own_cxx: it contains the library of C++, which nobody else can reach, and takes a reserve by itself.
 * AIC_OUT_OF_MEMORY; else *library is what dlopen() returns. */
static aic_status load_library(const char *path, bool own_cxx, void **library)
{
    if (!take_reserve()) {
        return aic_fail_memory(SUBJECT, RESERVE_BYTES + ROOM_BYTES);
    }
    if (own_cxx) {
        (void)give_back_reserve();
    } else {
        install_handler();
    }
    *library = dlopen(path, RTLD_NOW | RTLD_LOCAL); /* local: its LLVM is nobody else's */
    if (!own_cxx) {
        remove_handler();
        (void)give_back_reserve();
    }
    return AIC_OK;
}

/* Whether the module of this build contains the library of C++. */
#ifdef AIC_MODULE_CXX
static const bool OWN_CXX = true;
#else
static const bool OWN_CXX = false;
#endif

enum { PATH_BYTES = AIC_GENERATOR_PATH_MAX, SEGMENTS_MAX = 64 };

/* ---- where it is ---- */

/* Copies a path that fits. */
static bool copy_path(const char *from, size_t length, char path[PATH_BYTES])
{
    if (length >= PATH_BYTES) {
        return false;
    }
    memcpy(path, from, length);
    path[length] = '\0';
    return true;
}

/* Whether a line of the kernel's list of mappings, "FROM-TO PERMISSIONS ... FILE", is about an address. */
static bool is_about(const char *line, uintptr_t address)
{
    char *end;
    const unsigned long long from = strtoull(line, &end, 16);
    return *end == '-' && address >= from && address < strtoull(end + 1, NULL, 16);
}

/* The file that this code was mapped from, by that list: for a library that was loaded by a relative name, which may
 * mean another file by now. */
static bool mapped_file(uintptr_t address, char path[PATH_BYTES])
{
    FILE *maps = fopen("/proc/self/maps", "re");
    char line[PATH_BYTES + 128];
    bool found = false;
    while (maps != NULL && !found && fgets(line, sizeof line, maps) != NULL) {
        const char *name = strchr(line, '/');
        found = name != NULL && is_about(line, address) && copy_path(name, strcspn(name, "\n"), path);
    }
    if (maps != NULL) {
        fclose(maps);
    }
    return found;
}

/* The file of this library (of the program, where it is linked in statically), absolute. */
static bool own_file(char path[PATH_BYTES])
{
    Dl_info info;
    const uintptr_t here = (uintptr_t)&own_file;
    const bool absolute = dladdr((const void *)here, &info) != 0 && info.dli_fname != NULL && info.dli_fname[0] == '/';
    return absolute ? copy_path(info.dli_fname, strlen(info.dli_fname), path) : mapped_file(here, path);
}

/* The module's name in the folder of a file. */
static bool beside(const char *file, char path[PATH_BYTES])
{
    const char *slash = strrchr(file, '/');
    const int length = snprintf(path, PATH_BYTES, "%.*s/" AIC_MODULE_FILE, (int)(slash - file), file);
    return length > 0 && length < PATH_BYTES;
}

/* The library may be known by a link from another folder: then its own comes second. */
static bool find_module(char path[PATH_BYTES])
{
    char library[PATH_BYTES];
    if (!own_file(library) || !beside(library, path)) {
        return false;
    }
    char *real = access(path, F_OK) != 0 ? realpath(library, NULL) : NULL;
    char other[PATH_BYTES];
    if (real != NULL && beside(real, other) && access(other, F_OK) == 0) {
        (void)copy_path(other, strlen(other), path);
    }
    free(real);
    return true;
}

bool aic_generator_path(char path[AIC_GENERATOR_PATH_MAX])
{
    const char *named = aic_environment("AIC_CODEGEN");
    return named != NULL ? copy_path(named, strlen(named), path) : find_module(path);
}

/* ---- is it whole ---- */

static const char *read_at(int file, void *bytes, size_t size, uint64_t offset)
{
    const ssize_t count = aic_file_read(file, bytes, size, (off_t)offset);
    return count < 0 ? strerror(errno) : (size_t)count < size ? "it is cut off" : NULL;
}

/* What is wrong with the file, or NULL. The loader maps what a file says it has: touching the pages of one that is cut
 * off ends the process. */
static const char *inspect(int file, const struct stat *info)
{
    Elf64_Ehdr header;
    Elf64_Phdr segment[SEGMENTS_MAX];
    const char *problem = read_at(file, &header, sizeof header, 0);
    if (problem != NULL) {
        return problem;
    }
    const uint64_t size = (uint64_t)info->st_size;
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_type != ET_DYN || header.e_phentsize != sizeof segment[0] || header.e_phnum > SEGMENTS_MAX) {
        return "it is no shared object";
    }
    if (header.e_shoff > size || (uint64_t)header.e_shnum * header.e_shentsize > size - header.e_shoff) {
        return "it is cut off"; /* sections come last */
    }
    problem = read_at(file, segment, header.e_phnum * sizeof segment[0], header.e_phoff);
    for (size_t i = 0; problem == NULL && i < header.e_phnum; i++) {
        if (segment[i].p_offset > size || segment[i].p_filesz > size - segment[i].p_offset) {
            problem = "it is cut off";
        }
    }
    return problem;
}

static aic_status check_file(const char *path)
{
    struct stat info;
    const char *problem;
    const int file = aic_open_file(AT_FDCWD, path, O_RDONLY, 0, AIC_FILE_CHOSEN, &info, &problem);
    if (file >= 0) {
        problem = inspect(file, &info);
    } else if (problem == NULL) {
        problem = strerror(errno);
    }
    const aic_status status =
        problem == NULL ? AIC_OK : aic_fail(AIC_IO, SUBJECT, "\"%s\" cannot be used: %s", path, problem);
    if (file >= 0) {
        (void)close(file);
    }
    return status;
}

/* ---- opening it ---- */

static aic_status open_library(const char *path, const aic_module_header **module)
{
    void *library = NULL;
    const aic_status loading = load_library(path, OWN_CXX, &library);
    if (loading != AIC_OK) {
        return loading;
    }
    if (library == NULL) {
        const char *error = dlerror(), *said = error != NULL ? error : "";
        const size_t named = strlen(path); /* it begins with the path mostly, which is there already */
        said += strncmp(said, path, named) == 0 && strncmp(said + named, ": ", 2) == 0 ? named + 2 : 0;
        return aic_fail(AIC_IO, SUBJECT, "\"%s\" cannot be loaded: %s", path, said);
    }
    *module = dlsym(library, AIC_MODULE_SYMBOL);
    if (*module == NULL || memcmp((*module)->magic, AIC_MODULE_MAGIC, sizeof AIC_MODULE_MAGIC) != 0) {
        dlclose(library);
        return aic_fail(AIC_IO, SUBJECT, "\"%s\" is another library", path);
    }
    if ((*module)->version != AIC_MODULE_VERSION || strcmp((*module)->build, aic_build_name) != 0) {
        const aic_status status = aic_fail(AIC_IO, SUBJECT, "\"%s\" is of build %.60s, the library of %s", path,
                                           (*module)->build, aic_build_name);
        dlclose(library);
        return status;
    }
    (*module)->loaded();
    return AIC_OK;
}

aic_status aic_generator_open(const struct aic_llvm_api **llvm)
{
    char path[PATH_BYTES];
    if (!aic_generator_path(path)) {
        return aic_fail(AIC_IO, SUBJECT, "the folder of the library, where it lies, cannot be found");
    }
    const aic_module_header *module = NULL;
    aic_status status = check_file(path);
    if (status == AIC_OK) {
        status = open_library(path, &module);
    }
    if (status == AIC_OK) {
        *llvm = module->llvm;
    }
    return status;
}
