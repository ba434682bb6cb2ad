/* full LIBRARY HOG...: loads the library after the hogs have used up the room for static thread-local storage that the
 * process has for libraries loaded while it runs. Those that no longer fit are left out; the last one must not fit. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    void *hog = NULL;
    /* LLVM's own dependency has static storage: it must be there before. */
    if (argc < 3 || !dlopen("libstdc++.so.6", RTLD_NOW)) {
        fprintf(stderr, "usage: full LIBRARY HOG..., with libstdc++.so.6 installed\n");
        return 1;
    }
    for (int i = 2; i < argc; i++) {
        hog = dlopen(argv[i], RTLD_NOW);
    }
    if (hog) {
        fprintf(stderr, "there is still room after all hogs: more or larger ones are needed\n");
        return 1;
    }
    if (!dlopen(argv[1], RTLD_NOW | RTLD_LOCAL)) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    return 0;
}
